import { posix } from "node:path";
import { isDraft } from "~/features/library/draft";
import { changeFrontMatter } from "~/features/library/importer/change-front-matter";
import type { SourceDocument } from "~/features/library/importer/read-source.server";
import type { DocumentKind } from "~db/schema";

/** What a text's front matter and file name set. */
export type TextSettings = {
  when: "now" | "time" | "draft";
  /** Minute in UTC, as in 2026-12-01T08:00; empty if `when` is not `time`. */
  at: string;
  readers: "members" | "everyone";
  /** Its sound as the front matter names it; empty for none. */
  audio: string;
  slug: string;
  title: string;
  kind: DocumentKind;
};

/** What a form's fields set. */
export type SetFields = Pick<TextSettings, "when" | "at" | "readers" | "audio">;

/** Returns a text's settings. */
export function settingsOf(document: SourceDocument): TextSettings {
  const { publishAt, isPublic, audio, path, slug, title, kind } = document;
  const isTimed = publishAt !== null && !isDraft(document);
  return {
    when: publishAt === null ? "now" : isTimed ? "time" : "draft",
    at: isTimed ? publishAt.toISOString().slice(0, 16) : "",
    readers: isPublic ? "everyone" : "members",
    audio: audio === null ? "" : soundFrom(path, audio),
    ...{ slug, title, kind },
  };
}

/** Returns a sound's path as a text's front matter names it. */
export const soundFrom = (path: string, sound: string) =>
  posix.relative(posix.dirname(path), sound);

/** Returns a text with those settings in its front matter that differ from what was shown. */
function withSettings(text: string, set: SetFields, shown: SetFields): string {
  const fields: Record<string, string | boolean | null> = {};
  if (set.when !== shown.when || set.at !== shown.at) {
    // without a time it is a mistake, not published at once
    const isTimed = set.when === "time" || (set.when === shown.when && set.at !== "");
    fields.publish = isTimed ? `${set.at}Z` : set.when === "draft" ? "draft" : null;
  }
  if (set.readers && set.readers !== shown.readers)
    fields.public = set.readers === "everyone" ? true : null;
  if (set.audio !== shown.audio) fields.audio = set.audio || null;
  return Object.keys(fields).length > 0 ? changeFrontMatter(text, fields) : text;
}

/** Returns a typed text with what the fields of its form set. Those that are named `was-…` have what was shown. */
export function withFields(text: string, fields: Readonly<Record<string, string>>): string {
  if (fields["was-when"] === undefined) return text;
  const read = (prefix: string) =>
    Object.fromEntries(FIELDS.map((name) => [name, fields[prefix + name] ?? ""])) as SetFields;
  return withSettings(text, read(""), read("was-"));
}

const FIELDS = ["when", "at", "readers", "audio"] as const;
