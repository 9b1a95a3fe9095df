import { createHash } from "node:crypto";
import { basename } from "node:path";
import slugify from "@sindresorhus/slugify";

/** Maximum length of a slug in characters, which keeps every URL within its limit. */
export const MAX_SLUG = 80;

/** A valid slug. */
export const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The extensions of a Markdown file. */
export const MARKDOWN = /\.(?:md|markdown)$/i;

/** The number that orders files in their folder. It is not part of the slug. */
const LEADING_NUMBER = /^\d+[-_]/;

/** Returns a file's name without its leading number and extension. */
export function bareName(path: string): string {
  return basename(path).replace(MARKDOWN, "").replace(LEADING_NUMBER, "");
}

/** Returns a text's slug: its bare name, or one made of it. It depends on nothing else, so it stays the same. */
export function slugOf(path: string): string {
  const name = bareName(path).normalize();
  if (SLUG.test(name) && name.length <= MAX_SLUG) return name;
  return (
    slugFor(name) ?? `text-${createHash("sha256").update(basename(path)).digest("hex").slice(0, 8)}`
  );
}

/** Returns words in lower-case ASCII letters, digits and hyphens, cut between words; null if nothing is left. */
export function slugFor(words: string): string | null {
  const slug = slugify(words, { decamelize: false });
  if (slug.length <= MAX_SLUG) return slug || null;
  const cut = slug.slice(0, MAX_SLUG + 1);
  const end = cut.lastIndexOf("-");
  return cut.slice(0, end > 0 ? end : MAX_SLUG);
}
