import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import { isDraft } from "~/features/library/draft";
import { changeFrontMatter } from "~/features/library/importer/change-front-matter";
import { type NewFile, siteFileOf } from "~/features/library/importer/content-folder.server";
import { isSoundName } from "~/features/library/importer/media-files.server";
import { EXTRA_KINDS, planDocument } from "~/features/library/importer/new-document.server";
import { planPage } from "~/features/library/importer/new-page.server";
import { isPage, isText, readText } from "~/features/library/importer/read-source.server";
import { SITE_FILE } from "~/features/site/site-file";
import type { FormRefusal } from "~/http/form-refusal";
import { textOf } from "~/http/page-answer.server";
import type { FieldValue } from "~/http/request-body.server";
import { OperatorError } from "~db/operator-error";
import {
  deleteDraft,
  findDraftOfFile,
  findDrafts,
  insertDraft,
  updateDraft,
} from "~db/queries/desk";
import type { DeskDraft } from "~db/schema";
import type { Author } from "../author.server";
import { recordChange, recordWriting } from "../desk-log.server";
import { checkEdition, checkTyped, type EditionFolder } from "./edition-folder.server";
import { whyUnwritable, writeWhole } from "./write-file.server";

/** What a form has of a text: its content, the version of its draft (0 for none) and the hash of its file ("" for none). */
export type TypedText = { content: string; version: string; base: string };

/**
 * Returns what a form has of a text. What its fields set in the front matter is written there if it differs from what they had
 * when they were shown, which is in fields whose names begin with "was-".
 */
export function typedIn(fields: Readonly<Record<string, FieldValue>>): TypedText {
  const typed = textOf(fields.content).replace(/\r\n?/g, "\n");
  const publish = textOf(fields.publish);
  const set = {
    publish: publish === "from" ? `${textOf(fields.from)}Z` : publish,
    audio: textOf(fields.audio),
    public: textOf(fields.public),
  };
  const changed = Object.entries(set).filter(
    ([name, value]) => value !== textOf(fields[`was-${name}`]),
  );
  const values = changed.map(([name, value]) => [name, value === "on" || value || null]);
  return {
    content: changed.length > 0 ? changeFrontMatter(typed, Object.fromEntries(values)) : typed,
    version: textOf(fields.version) || "0",
    base: textOf(fields.base),
  };
}

/** A file that can be begun at the desk. */
const NEW_FILE = /^(?:site\.yml|(?:pages\/|extras\/|chapters\/(?:\d+-)?)[a-z0-9-]+\.md)$/;

/** Whether authors may edit what an address or a form names: a text of the folder, or a new one. */
export const mayEdit = ({ files }: EditionFolder, path: string) =>
  files.includes(path) ? isText(path) || isPage(path) || path === SITE_FILE : NEW_FILE.test(path);

/** Reads a text of the folder; null if there is none. Throws an OperatorError if it is unreadable, or a link that leads out of the folder. */
export async function readFileText({ folder, files }: EditionFolder, path: string) {
  if (!files.includes(path)) return null;
  const place = await realpath(join(folder, path)).catch(() => "");
  // it might be a secret of the program
  if (!place.startsWith((await realpath(folder)) + sep)) {
    throw new OperatorError(`${path} is a link that leads out of the book’s folder.`);
  }
  const text = await readText(place);
  if ("problem" in text) throw new OperatorError(`${path} ${text.problem}.`);
  return { ...text, hash: createHash("sha256").update(text.content).digest("hex") };
}

/** Opens the draft of a file, or the file; null if there is neither. `theirs` is a file that has changed under its draft. */
export async function openText(edition: EditionFolder, path: string) {
  if (!mayEdit(edition, path)) return null;
  const file = await readFileText(edition, path);
  let draft = await findDraftOfFile(path);
  // written to the folder, but the program ended before it was deleted
  if (draft && draft.content === file?.content && (await deleteDraft(draft))) draft = null;
  if (!draft && !file) return null;
  const base = file?.hash ?? "";
  return {
    path,
    base,
    hasFile: file !== null,
    content: draft?.content ?? file?.content ?? "",
    version: String(draft?.version ?? 0),
    savedAt: draft?.savedAt.toISOString() ?? null,
    theirs: draft && (draft.baseHash ?? "") !== base ? (file?.content ?? "") : null,
  };
}

/** Opens a file with all that its editor shows. */
export async function loadEditor(edition: EditionFolder, path: string) {
  const text = await openText(edition, path);
  if (!text) return null;
  const { document, notes } = await checkTyped(edition, path, text.content);
  const from = (sound: string) => posix.relative(posix.dirname(path), sound);
  const { publishAt = null, audio = null } = document ?? {};
  return {
    ...text,
    notes,
    /** What the front matter of a text sets; null for other files, and while it has a mistake. */
    settings: document && {
      title: document.title,
      slug: document.slug,
      isPublic: document.isPublic,
      isChapter: document.kind === "chapter",
      isDraft: isDraft({ publishAt }),
      /** The time of publication in UTC, as a field for it has it; "" for at once, and for a draft. */
      from: isDraft({ publishAt }) ? "" : (publishAt?.toISOString().slice(0, 16) ?? ""),
      audio: audio === null ? "" : from(audio),
      sounds: edition.files.filter(isSoundName).map(from),
    },
    unwritable: await whyUnwritable(edition.folder),
  };
}

/** A file in its editor. */
export type EditedText = NonNullable<Awaited<ReturnType<typeof loadEditor>>>;

/**
 * Saves what is typed as the draft of its file, with all mistakes; null if somebody else has saved it meanwhile. What is stored
 * already is not stored again.
 */
export async function saveDraft(
  author: Author,
  path: string,
  { content, version, base }: TypedText,
): Promise<DeskDraft | null> {
  const fields = { content, savedBy: author.userId, baseHash: base || null };
  const before = version === "0" ? null : await findDraftOfFile(path);
  if (before?.content === content && before.baseHash === fields.baseHash) return before;
  if (!before && version !== "0") return null;
  const saved = before
    ? await updateDraft({ id: before.id, version: Number(version) }, fields, new Date())
    : await insertDraft({ kind: "edition", path, ...fields });
  if (saved) await recordWriting(author, before, `Wrote ${path}`);
  return saved;
}

/** Returns the refusal of a text that has changed meanwhile, with what is there now. Saved again, it replaces that. */
export async function conflictOf(
  edition: EditionFolder,
  path: string,
  content: string,
): Promise<FormRefusal> {
  const now = await openText(edition, path);
  const { version = "0", base = "" } = now ?? {};
  return {
    message:
      "This text has changed since you opened it. Both are here; saved again, yours replaces it.",
    typed: { content, version, base, theirs: now?.theirs ?? now?.content ?? "" },
  };
}

/** Writes a draft to its file, and deletes it. Returns why not if it has a mistake, or if the file is no longer the one of `base`. */
export async function publishDraft(
  author: Author,
  edition: EditionFolder,
  { draft, path, base }: { draft: DeskDraft; path: string; base: string },
): Promise<FormRefusal | null> {
  const { content } = draft;
  const file = await readFileText(edition, path);
  if ((file?.hash ?? "") !== base) return conflictOf(edition, path, content);
  const { problems } = await checkTyped(edition, path, content);
  if (problems.length > 0) {
    return { message: "The draft is saved. Readers get it without these mistakes:", problems };
  }
  await writeWhole(edition.folder, path, content);
  await deleteDraft(draft);
  await recordChange(author, `Saved ${path}`);
  return null;
}

/** Deletes the draft of a file if it is still of this version; false if somebody has saved it meanwhile. */
export async function discardDraft(author: Author, path: string, version: string) {
  const draft = await findDraftOfFile(path);
  if (draft && !(await deleteDraft({ id: draft.id, version: Number(version) }))) return false;
  await recordChange(author, `Discarded the draft of ${path}`);
  return true;
}

/** Throws an OperatorError if one of these files has a draft, which a change of the file would contradict. */
export async function requireNoDraft(...paths: string[]): Promise<void> {
  for (const path of paths) {
    if (await findDraftOfFile(path)) {
      throw new OperatorError(
        `${path} has unpublished changes. Save them for readers or discard them first.`,
      );
    }
  }
}

/**
 * Begins a file as a draft, and returns its path: a chapter or an extra of this kind by its title, a `page` by its name, or the
 * `site` as it is shown now. Throws an OperatorError if the title or name is invalid or taken.
 */
export async function beginFile(
  author: Author,
  edition: EditionFolder,
  { kind, title }: { kind: string; title: string },
): Promise<string> {
  const { name: path, content } = await planFile(edition, kind, title);
  const draft = { kind: "edition", path, content, baseHash: null, savedBy: author.userId } as const;
  if (edition.files.includes(path) || !(await insertDraft(draft))) {
    throw new OperatorError(`There is a ${path} already.`);
  }
  await recordChange(author, `Began ${path}`);
  return path;
}

async function planFile(edition: EditionFolder, kind: string, title: string): Promise<NewFile> {
  if (kind === "page") return planPage(title.trim());
  if (kind === "site") {
    return { name: SITE_FILE, content: siteFileOf((await checkEdition(edition)).source) };
  }
  const drafts = await findDrafts("edition");
  const typed = new Map(drafts.map(({ path, content }) => [path ?? "", content]));
  const extraKind = EXTRA_KINDS.find((each) => each === kind) ?? null;
  return planDocument(edition.folder, { title, extraKind, publish: null }, typed);
}
