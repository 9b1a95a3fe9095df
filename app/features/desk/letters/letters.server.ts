import { readableEmail } from "~/environment/email-address.server";
import { unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { readImage } from "~/features/newsletter/issue-images";
import { renderIssueMail } from "~/features/newsletter/issue-mail.server";
import { contentOf } from "~/features/newsletter/preview-issue.server";
import { type Issue, readIssueImage, readIssueText } from "~/features/newsletter/read-issue.server";
import { queueTest } from "~/features/newsletter/test-issue.server";
import type { Upload } from "~/http/request-body.server";
import { OperatorError } from "~db/operator-error";
import {
  deleteDeskFile,
  deleteDraft,
  findDraft,
  findDraftFiles,
  findDrafts,
  insertDraft,
  storeDeskFile,
  updateDraft,
} from "~db/queries/desk";
import { ensureSiteKey } from "~db/queries/site-keys";
import { findEmailOfUser } from "~db/queries/users";
import type { DeskDraft } from "~db/schema";
import { isUuid } from "~db/uuid";
import type { Author } from "../author.server";
import { recordChange, recordWriting } from "../desk-log.server";
import { type LetterFields, nameOf } from "./letter";
import { picturePath } from "./letter-paths";
import {
  BODY_LINE,
  composeLetter,
  locateProblem,
  parseLetter,
  typedLetter,
} from "./letter-text.server";

const imageKey = () => ensureSiteKey("newsletter-images");

/** The draft of a letter; null if there is none. */
export async function findLetter(id: string): Promise<DeskDraft | null> {
  const draft = isUuid(id) ? await findDraft(id) : null;
  return draft?.kind === "letter" ? draft : null;
}

/** Lists the drafts of letters, the one saved last first. */
export async function listDrafts() {
  const drafts = await findDrafts("letter");
  return drafts.map(({ id, content, savedAt }) => ({
    id,
    name: nameOf(parseLetter(content)),
    savedAt: savedAt.toISOString(),
  }));
}

/** Begins a letter, empty or with these fields; returns the draft's id. */
export async function newLetter(author: Author, fields = typedLetter({})): Promise<string> {
  const draft = { kind: "letter", path: null, baseHash: null, savedBy: author.userId } as const;
  const inserted = await insertDraft({ ...draft, content: composeLetter(fields) });
  if (!inserted) throw new Error("A letter was not stored.");
  await recordChange(author, `Began the letter “${nameOf(fields)}”`);
  return inserted.id;
}

/** Begins a letter with the content of a file as the commands read it. */
export function importLetter(author: Author, bytes: Uint8Array): Promise<string> {
  const { body } = typedLetter({ body: new TextDecoder().decode(bytes) });
  return newLetter(author, parseLetter(body));
}

/** Loads a draft as its page shows it; null if there is none. */
export async function loadLetter(id: string): Promise<Letter | null> {
  const draft = await findLetter(id);
  return draft && describeDraft(draft);
}

/** A draft as its page shows it. */
export type Letter = Awaited<ReturnType<typeof describeDraft>>;

async function describeDraft(draft: DeskDraft) {
  const { id, version, savedAt, savedBy } = draft;
  const { files, problems, fields } = await readDraft(draft);
  const email = savedBy && (await findEmailOfUser(savedBy));
  return {
    id,
    version,
    savedAt: savedAt.toISOString(),
    savedBy: email && readableEmail(email),
    fields,
    problems,
    pictures: files.map(({ name, content }) => ({
      name,
      kilobytes: Math.ceil(content.byteLength / 1024),
    })),
  };
}

/**
 * Saves what was typed into the draft of a version; null, with nothing written, if somebody else has saved another text since,
 * or sent or deleted it. What is stored already is not stored again.
 */
export async function saveLetter(
  author: Author,
  { id, version }: Pick<DeskDraft, "id" | "version">,
  fields: LetterFields,
): Promise<Letter | null> {
  const before = await findLetter(id);
  const content = composeLetter(fields);
  if (before?.content === content) return describeDraft(before);
  const written = { content, savedBy: author.userId };
  const saved = await updateDraft({ id, version }, written, new Date());
  if (!before || !saved) return null;
  await recordWriting(author, before, `Wrote the letter “${nameOf(fields)}”`);
  return describeDraft(saved);
}

/** Deletes a draft and its pictures, whoever saved it last. */
export async function deleteLetter(author: Author, id: string): Promise<void> {
  const draft = await findLetter(id);
  if (!draft || !(await deleteDraft(draft))) return;
  await recordChange(author, `Deleted the draft “${nameOf(parseLetter(draft.content))}”`);
}

/** Stores a letter's picture; returns the name by which the text shows it. Throws an OperatorError if a mail cannot show it. */
export async function addPicture(author: Author, draftId: string, upload: Upload): Promise<string> {
  if (upload.kind !== "file" || upload.name === "") {
    throw new OperatorError("Please choose a picture first.");
  }
  const name = pictureName(upload.name);
  const content = Buffer.from(upload.bytes);
  const image = readIssueImage(name, content, await imageKey());
  if (typeof image === "string") throw new OperatorError(`${name} ${image}.`);
  await storeDeskFile({ draftId, name, content, uploadedBy: author.userId });
  await recordChange(author, `Added the picture ${name} to a letter`);
  return name;
}

/** Deletes a picture of a letter, which its text may still show. */
export async function removePicture(author: Author, draftId: string, name: string): Promise<void> {
  const file = (await findDraftFiles(draftId)).find((each) => each.name === name);
  if (!file) return;
  await deleteDeskFile(file.id);
  await recordChange(author, `Deleted the picture ${name} of a letter`);
}

/** Loads a picture of a draft by the name under which it will be served; null if there is none. */
export async function loadPicture(draftId: string, name: string) {
  if (!(await findLetter(draftId))) return null;
  const key = await imageKey();
  const files = await findDraftFiles(draftId);
  const images = files.map(({ content }) => readImage(content, key));
  return images.find((image) => image?.name === name) ?? null;
}

const baseName = (path: string) => path.split(/[/\\]/).at(-1) ?? "";

/** A file's name without what an address or Markdown would have to escape. */
function pictureName(path: string): string {
  const name = baseName(path).normalize("NFC").slice(-100);
  const plain = name.replace(/[^\p{L}\p{N}._-]+/gu, "-");
  return plain.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, "") || "picture";
}

/** Reads a draft as the commands read a file, and also as much of it as can be shown in spite of mistakes. */
export async function readDraft({ id, content }: DeskDraft) {
  const files = await findDraftFiles(id);
  const find = async (path: string) => {
    const names = [baseName(path), pictureName(path)];
    const file = files.find(({ name }) => names.includes(name));
    return file?.content ?? "there is no such picture; add it below";
  };
  const images = { find, key: await imageKey() };
  const fields = parseLetter(content);
  let { issue, problems } = await readIssueText(content, images);
  if (!issue) {
    // mistakes of the fields keep nobody from seeing the text and its mistakes
    const shown = composeLetter({ ...fields, subject: "x", slug: "x", preview: "x" });
    const reading = await readIssueText(shown, images);
    issue = reading.issue && { ...reading.issue, ...fields, subject: nameOf(fields) };
    problems = [
      ...problems.filter(({ line }) => line < BODY_LINE),
      ...reading.problems.filter(({ line }) => line >= BODY_LINE),
    ];
  }
  return { files, fields, issue, problems: problems.map(locateProblem) };
}

/** Renders a draft's mail, with pictures at the desk's own addresses. */
export function renderDraft(issue: Issue, id: string) {
  const content = contentOf(issue, (name) => picturePath(id, name));
  return renderIssueMail(content, unsubscribeUrl("preview"));
}

/** Mails a draft to its author alone. Throws an OperatorError if it has mistakes. */
export async function testLetter(author: Author, id: string): Promise<void> {
  const draft = await findLetter(id);
  const reading = draft && (await readDraft(draft));
  if (!reading?.issue || reading.problems.length > 0) {
    throw new OperatorError("It is saved, but it has mistakes. Fix them before you test it.");
  }
  await queueTest(reading.issue, author.email);
  wakeMailWorker();
  await recordChange(author, `Tested the letter “${reading.issue.subject}”`);
}
