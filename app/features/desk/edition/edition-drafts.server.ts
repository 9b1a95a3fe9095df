import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { readableEmail } from "~/environment/email-address.server";
import { describeProblem } from "~/features/library/importer/edition-problem";
import { isSoundName } from "~/features/library/importer/media-files.server";
import { readText } from "~/features/library/importer/read-source.server";
import type { FormProblem, FormRefusal } from "~/http/form-refusal";
import { OperatorError } from "~db/operator-error";
import { deleteDraft, findDraftOfFile, insertDraft, updateDraft } from "~db/queries/desk";
import { findUserById } from "~db/queries/users";
import type { DeskDraft } from "~db/schema";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { type BookFolder, checkTyped, isEdited, problemsElsewhere } from "./check-book.server";
import { settingsOf, soundFrom, type TextSettings } from "./text-settings";
import { placeIn, whyUnwritable, writeWhole } from "./write-file.server";

/** What an author sends of a text. */
export type TypedText = {
  content: string;
  /** Version of the draft that was shown; 0 for none. */
  version: number;
  /** Hash of the file that was shown; empty for none. */
  base: string;
};

/** A file of the edition as its editor shows it. */
export type OpenText = TypedText & {
  path: string;
  hasFile: boolean;
  /** When and by whom the draft was saved; null without one. */
  saved: { at: string; by: string | null } | null;
  /** The file's text, if it has changed since the draft began; null if not. */
  theirs: string | null;
};

type EditedFile = { content: string; hash: string };

/** A file that can be begun at the desk. */
const NEW_FILE =
  /^(?:site\.yml|pages\/[a-z0-9-]+\.md|(?:chapters\/\d+-|chapters\/|extras\/)[a-z0-9-]+\.md)$/;

/** Whether authors may edit what an address or a form names: a text of the folder, or a new one. */
export const mayEdit = ({ files }: BookFolder, path: string) =>
  files.includes(path) ? isEdited(path) : NEW_FILE.test(path);

/** Reads a file of the edition that authors edit; null if there is none. Throws an OperatorError if it is unreadable. */
export async function readEdited(
  { folder, files }: BookFolder,
  path: string,
): Promise<EditedFile | null> {
  if (!files.includes(path) || !isEdited(path)) return null;
  const place = await placeIn(folder, path);
  const text = await readText(place);
  if ("problem" in text) throw new OperatorError(`${path} ${text.problem}.`);
  const hash = createHash("sha256")
    .update(await readFile(place))
    .digest("hex");
  return { content: text.content, hash };
}

/** Opens a file of the edition, or its draft where there is one; null if there is neither. */
export async function openText(book: BookFolder, path: string): Promise<OpenText | null> {
  if (!mayEdit(book, path)) return null;
  const [file, draft] = [await readEdited(book, path), await findDraftOfFile(path)];
  if (!file && !draft) return null;
  const base = file?.hash ?? "";
  const hasFile = file !== null;
  if (!draft || draft.content === file?.content) {
    // saved to the book, but the program ended before the draft was deleted
    if (draft) await deleteDraft(draft);
    return {
      path,
      content: file?.content ?? "",
      version: 0,
      base,
      hasFile,
      saved: null,
      theirs: null,
    };
  }
  const { content, version, savedAt, savedBy, baseHash } = draft;
  const user = savedBy === null ? null : await findUserById(savedBy);
  return {
    ...{ path, content, version, base, hasFile },
    saved: { at: savedAt.toISOString(), by: user && readableEmail(user.email) },
    theirs: (baseHash ?? "") === base ? null : (file?.content ?? ""),
  };
}

/** A file of the edition in its editor. */
export type EditedText = OpenText & {
  problems: FormProblem[];
  notes: FormProblem[];
  /** What the front matter of a text sets; null for other files, and while it has a mistake. */
  settings: TextSettings | null;
  /** The folder's sounds, as the text's front matter names them. */
  sounds: string[];
  folder: string;
  /** Why nothing can be saved to the folder; null if it can. */
  unwritable: string | null;
};

/** Opens a file in its editor, with all that is wrong in it; null if there is no such file. */
export async function loadEditor(book: BookFolder, path: string): Promise<EditedText | null> {
  const text = await openText(book, path);
  if (!text) return null;
  const { document, problems, notes } = await checkTyped(book, path, text.content);
  return {
    ...text,
    ...{ problems, notes, folder: book.folder },
    settings: document && settingsOf(document),
    sounds: book.files.filter(isSoundName).map((file) => soundFrom(path, file)),
    unwritable: await whyUnwritable(book.folder),
  };
}

/** Saves what is typed as the draft of its file, with all mistakes; null if somebody else has saved it meanwhile. */
export async function saveDraft(
  { userId }: Author,
  path: string,
  { content, version, base }: TypedText,
): Promise<DeskDraft | null> {
  const fields = { content, savedBy: userId, baseHash: base || null };
  const draft = await findDraftOfFile(path);
  if (draft?.version === version) return updateDraft(draft, fields, new Date());
  return draft || version > 0 ? null : insertDraft({ kind: "edition", path, ...fields });
}

/** Returns the refusal of a text that somebody else has saved, with what is there now. Saved again, it replaces that. */
export async function saveConflict(
  book: BookFolder,
  path: string,
  { content }: TypedText,
): Promise<FormRefusal> {
  const now = await openText(book, path);
  return {
    message:
      "Somebody has saved this text since you opened it. Both are here; if you save again, yours replaces it.",
    typed: {
      content,
      version: String(now?.version ?? 0),
      base: now?.base ?? "",
      theirs: now?.content ?? "",
    },
  };
}

/** Saves what is typed to the edition's folder, if it has no mistake; else to its draft. Returns null, or why not. */
export async function saveToBook(
  author: Author,
  book: BookFolder,
  path: string,
  typed: TypedText,
): Promise<FormRefusal | null> {
  const draft = await saveDraft(author, path, typed);
  if (!draft) return saveConflict(book, path, typed);
  const { content } = typed;
  const shown = { content, version: String(draft.version), base: typed.base };
  try {
    const file = await readEdited(book, path);
    if ((file?.hash ?? "") !== typed.base) {
      const message =
        "The file has changed since you opened it. Both are here; if you save again, yours replaces it.";
      return { message, typed: { ...shown, base: file?.hash ?? "", theirs: file?.content ?? "" } };
    }
    const check = await checkTyped(book, path, content);
    const elsewhere = await problemsElsewhere(book, path, check);
    const problems = [
      ...check.problems,
      ...elsewhere.map((each) => ({ line: null, problem: describeProblem(each) })),
    ];
    if (problems.length > 0) {
      const message = "Readers don’t get it before these mistakes are mended. The draft is saved.";
      return { message, problems, typed: shown };
    }
    await writeWhole(book.folder, path, content.endsWith("\n") ? content : `${content}\n`);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { message: `${error.message} The draft is saved.`, typed: shown };
  }
  await deleteDraft(draft);
  await recordChange(author, `Saved ${path} to the book`);
  return null;
}

/** Deletes the draft of a file if it is still of this version; false if somebody has saved it meanwhile. */
export async function discardDraft(
  author: Author,
  path: string,
  version: number,
): Promise<boolean> {
  const draft = await findDraftOfFile(path);
  if (draft && !(await deleteDraft({ id: draft.id, version }))) return false;
  await recordChange(author, `Discarded the draft of ${path}`);
  return true;
}

/** Throws an OperatorError if one of these files has a draft, which a change of the file would contradict. */
export async function requireNoDraft(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    if (!(await findDraftOfFile(path))) continue;
    throw new OperatorError(
      `${path} has an unsaved draft. Save it to the book or discard it first.`,
    );
  }
}
