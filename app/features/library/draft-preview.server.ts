import { createHmac, timingSafeEqual } from "node:crypto";
import { findDocumentHtml } from "~db/queries/editions";
import { ensureSiteKey } from "~db/queries/site-keys";
import type { Edition } from "./edition";
import { labelAbove } from "./entry-label";
import { documentPath } from "./library-paths";
import { type PreviewView, withAddresses } from "./preview.server";

const DAY_MS = 24 * 60 * 60 * 1_000;

/** How long an address of a preview works, in days. */
export const PREVIEW_DAYS = 30;

const TOKEN = /^(\d{1,6})-([\w-]{22})$/;

/** Returns a token that shows every text, published or not, until `PREVIEW_DAYS` after `now`. */
export async function previewToken(now: Date): Promise<string> {
  const lastDay = Math.floor(now.getTime() / DAY_MS) + PREVIEW_DAYS;
  return `${lastDay}-${await signatureOf(lastDay)}`;
}

/** Whether a token was made by `previewToken` and still works at `now`. */
export async function isPreviewToken(token: string, now: Date): Promise<boolean> {
  const [, day = "", given = ""] = TOKEN.exec(token) ?? [];
  if (day === "" || Number(day) < Math.floor(now.getTime() / DAY_MS)) return false;
  return timingSafeEqual(Buffer.from(given), Buffer.from(await signatureOf(Number(day))));
}

async function signatureOf(lastDay: number): Promise<string> {
  const key = await ensureSiteKey("draft-preview");
  return createHmac("sha256", key).update(`${lastDay}`).digest("base64url").slice(0, 22);
}

/** Returns the path at which a token shows a text. */
export const draftPath = (token: string, slug: string) => `/drafts/${token}/${slug}`;

/** Loads a text for its author, published or not; null if there is none. Its links and images work with the token. */
export async function loadDraft(
  edition: Edition,
  { token, slug }: { token: string; slug: string },
): Promise<PreviewView | null> {
  const texts = edition.all();
  const at = texts.findIndex((entry) => entry.slug === slug);
  const entry = texts[at];
  const html = entry && (await findDocumentHtml(edition.digest, slug));
  if (!html) return null;
  const next = texts[at + 1];
  const paths = new Map(texts.map((each) => [documentPath(each), draftPath(token, each.slug)]));
  return {
    ...entry,
    label: labelAbove(entry),
    html: withAddresses(html, { mediaPath: `/drafts/${token}/media/`, paths }),
    next: next
      ? { path: draftPath(token, next.slug), label: labelAbove(next), title: next.title }
      : null,
  };
}
