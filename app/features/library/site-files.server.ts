import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { currentSite } from "~/features/site/current-site.server";
import { siteFile } from "~/features/site/page-site";
import { pageSite } from "~/features/site/page-site.server";
import type { Site } from "~/features/site/site";
import { colorStyles } from "~/features/site/site-colors";
import { COLORS } from "~/styles/colors.mjs";
import { findMedia } from "./media-store.server";

/** Maximum bytes of the process's output. */
const MAX_OUTPUT = 32 * 1024 * 1024;

/** A file that every page of an author's site may link to. `tag` is its strong entity tag. */
export type SiteFile = { content: Buffer<ArrayBuffer>; mediaType: string; tag: string };

const MEDIA_TYPES: Record<string, string> = {
  ico: "image/png",
  png: "image/png",
  jpg: "image/jpeg",
  css: "text/css; charset=utf-8",
  webmanifest: "application/manifest+json",
};

const run = promisify(execFile);
const packageRequire = createRequire(import.meta.url);
const pictures = new WeakMap<Site, Promise<Map<string, Buffer<ArrayBuffer>>>>();

/**
 * Returns an icon, cover, style sheet or manifest of the author's site; null if it has no such file, as the sample's,
 * which has its own in `public`. Throws if a picture cannot be made.
 */
export async function findSiteFile(name: string): Promise<SiteFile | null> {
  const site = currentSite();
  if (site.isSample) return null;
  const content = textOf(site, name) ?? (await authorPictures(site)).get(name);
  const mediaType = MEDIA_TYPES[name.split(".").at(-1) ?? ""];
  if (!content || !mediaType) return null;
  const tag = createHash("sha256").update(content).digest("base64url").slice(0, 22);
  return { content: Buffer.from(content), mediaType, tag };
}

function textOf(site: Site, name: string): string | null {
  // a page from before the site lost its colors still links to it
  if (name === "colors.css") return colorStyles(site.colors) ?? "/* no colors */";
  if (name === "site.webmanifest") return JSON.stringify(manifestOf(site));
  return null;
}

function manifestOf(site: Site) {
  const shown = pageSite(site);
  const icon = (name: string, sizes: string) => ({
    src: siteFile(shown, name),
    sizes,
    type: "image/png",
  });
  return {
    name: site.title,
    short_name: site.title,
    ...(site.subtitle && { description: site.subtitle }),
    lang: site.language,
    dir: site.dir,
    start_url: "/",
    scope: "/",
    display: "browser",
    background_color: COLORS.paper,
    theme_color: COLORS.paper,
    icons: [icon("icon-192.png", "192x192"), icon("icon-512.png", "512x512")],
  };
}

/** Makes an author's icons and covers, once for each site. Throws if the process fails. */
export function authorPictures(site: Site): Promise<Map<string, Buffer<ArrayBuffer>>> {
  const known = pictures.get(site);
  if (known) return known;
  const made = makePictures(site);
  pictures.set(site, made);
  made.catch(() => pictures.delete(site));
  return made;
}

async function makePictures({ cover, colors }: Site): Promise<Map<string, Buffer<ArrayBuffer>>> {
  const file = cover && (await findMedia(cover.name));
  const made = run(process.execPath, [packageRequire.resolve("#site-picture-process")], {
    maxBuffer: MAX_OUTPUT,
    timeout: 60_000,
    env: { NODE_ENV: "production", MALLOC_ARENA_MAX: "2" },
    windowsHide: true,
  });
  const accent = colors.accent ?? COLORS.gold;
  const dark = colors.dark ?? COLORS.night;
  made.child.stdin?.end(JSON.stringify({ cover: file?.path ?? null, accent, dark }));
  const { stdout } = await made;
  const byName = JSON.parse(stdout) as Record<string, string>;
  return new Map(
    Object.entries(byName).map(([name, base64]) => [name, Buffer.from(base64, "base64")]),
  );
}
