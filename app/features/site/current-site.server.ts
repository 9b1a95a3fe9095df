import { readFileSync } from "node:fs";
import { join } from "node:path";
import { env } from "~/env.server";
import { SAMPLE_SITE } from "./sample-site";
import type { Site } from "./site";
import { parseSiteFile, SITE_FILE, siteOf, unnamedSite } from "./site-file";

let current: Site | null = null;

/** Sets the site that this process shows, with its edition. */
export function setCurrentSite(site: Site): void {
  current = site;
}

/** Clears the site. For tests. */
export function clearCurrentSite(): void {
  current = null;
}

/**
 * Returns the site of the edition that is served. A command serves none, and reads names and words from the edition's
 * folder.
 */
export function currentSite(): Site {
  current ??= siteOfFolder(env().CONTENT_DIR);
  return current;
}

function siteOfFolder(folder: string): Site {
  let text: string;
  try {
    text = readFileSync(join(folder, SITE_FILE), "utf8");
  } catch {
    return SAMPLE_SITE;
  }
  const parsed = parseSiteFile(text);
  return parsed.kind === "read" ? siteOf(parsed.fields, {}, []) : unnamedSite(siteHost());
}

/** Returns the site's host name, the title of a site without a readable one. */
export const siteHost = () => new URL(env().PUBLIC_URL).hostname;
