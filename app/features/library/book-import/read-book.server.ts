import { readFile, stat } from "node:fs/promises";
import { basename, dirname, extname, join, posix } from "node:path";
import type { List, Nodes } from "mdast";
import { unparsablePart } from "~/features/markdown/markdown-limits";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { wordsOf } from "~/features/markdown/unparsed-markup";
import { OperatorError } from "~db/operator-error";
import { listFolder } from "../importer/edition-folder.server";
import { decoded } from "../importer/text-markup";
import { bareName, MARKDOWN } from "../importer/text-slug";
import {
  type BookText,
  divide,
  headingsOf,
  isSameHeading,
  type Losses,
  readTitle,
  splitFields,
} from "./book-text";
import { htmlToMarkdown } from "./html-to-markdown";

/** A book of somebody else's program, read but not yet converted. */
export type Book = {
  texts: BookText[];
  /** The folder that pictures are in, and its files. */
  folder: string;
  files: readonly string[];
  /** Pictures within a file, by the address that the text gives them. */
  embedded: ReadonlyMap<string, Buffer>;
};

/** Maximum size of a file that is read whole, in bytes. */
const MAX_FILE_BYTES = 256 * 1024 * 1024;

/** Folders of other programs, and files about a book rather than of it. */
const NOT_TEXT = /(?:^|\/)(?:node_modules|_book|_templates)\//i;
const ABOUT =
  /(?:^|\/)(?:SUMMARY|_sidebar|toc|LICENSE[^/]*|CONTRIBUTING|CHANGELOG|CODE_OF_CONDUCT|SECURITY|ISSUE_TEMPLATE|PULL_REQUEST_TEMPLATE)\.\w+$/i;

/** Reads a book: a folder of Markdown, one long Markdown file, or a file of Word. Throws an OperatorError if it is none. */
export async function readBook(path: string, losses: Losses): Promise<Book> {
  const found = await stat(path).catch(() => null);
  if (!found) throw new OperatorError(`There is no ${path}.`);
  if (found.isDirectory()) return readFolder(path, losses);
  if (found.size > MAX_FILE_BYTES) throw new OperatorError(`${path} is larger than 256 MB.`);
  if (MARKDOWN.test(path)) {
    const { fields, markdown, line } = splitFields(await readText(path, basename(path)));
    return oneFile(path, { markdown, line, title: fields.title });
  }
  if (extname(path).toLowerCase() === ".docx") return readWord(path, losses);
  throw new OperatorError(
    `${path}: wanted a folder, a Markdown file (.md) or a Word file (.docx).`,
  );
}

async function oneFile(
  path: string,
  { markdown, line, title }: { markdown: string; line: number; title: unknown },
  embedded: ReadonlyMap<string, Buffer> = new Map(),
): Promise<Book> {
  const folder = dirname(path);
  const whole = newText(basename(path), markdown, line, title);
  const files = (await listFolder(folder).catch(() => null))?.files ?? [];
  // the first heading may be that of the first chapter
  const chapters = divided({ ...whole, markdown }, { isBook: true });
  const texts = chapters.length > 1 ? chapters : divided(whole, { isBook: false });
  return { texts, folder, files, embedded };
}

async function readWord(path: string, losses: Losses): Promise<Book> {
  const { default: mammoth } = await import("mammoth");
  const embedded = new Map<string, Buffer>();
  const convertImage = mammoth.images.imgElement(async (image) => {
    const src = `picture-${embedded.size + 1}.${image.contentType.replace(/^image\/(?:x-)?|\+.*/g, "")}`;
    embedded.set(src, await image.readAsBuffer());
    return { src };
  });
  const styleMap = [
    "p[style-name='Title'] => h1:fresh",
    "p[style-name='Quote'] => blockquote:fresh",
  ];
  try {
    const { value, messages } = await mammoth.convertToHtml({ path }, { convertImage, styleMap });
    const place = { path: basename(path), line: 1 };
    for (const { message } of messages) losses.add(message, place);
    const markdown = htmlToMarkdown(value);
    return await oneFile(path, { markdown, line: 1, title: undefined }, embedded);
  } catch (error) {
    throw new OperatorError(
      `${path} is not a readable Word file (.docx): ${(error as Error).message}`,
    );
  }
}

async function readFolder(folder: string, losses: Losses): Promise<Book> {
  const files = (await listFolder(folder))?.files ?? [];
  const candidates = files.filter((path) => MARKDOWN.test(path) && !NOT_TEXT.test(path));
  let summary: { path: string; listed: Listed[] } | null = null;
  for (const path of candidates
    .filter((each) => /(?:^|\/)SUMMARY\.md$/i.test(each))
    .toSorted(byDepth)) {
    const found = listedIn(path, await readText(join(folder, path), path), candidates);
    if (!summary && found.length > 0) summary = { path, listed: found };
  }
  const listed = summary?.listed ?? inNaturalOrder(candidates);
  const taken = new Set(listed.map(({ path }) => path));
  const within = summary ? posix.dirname(summary.path).replace(/^\.$/, "") : "";
  for (const path of candidates) {
    if (taken.has(path) || path === summary?.path || !path.startsWith(within)) continue;
    losses.add("file that is not in the book's contents, left out", { path, line: 1 });
  }
  const texts: BookText[] = [];
  for (const { path, ...known } of listed) {
    const { fields, markdown, line } = splitFields(await readText(join(folder, path), path));
    const own = newText(path, markdown, line, fields.title);
    texts.push(
      ...divided({ ...own, ...fromFields(fields), ...withoutNulls(known, own) }, { isBook: false }),
    );
  }
  if (texts.length === 0)
    throw new OperatorError(`There is no Markdown file with a text in ${folder}.`);
  return { texts, folder, files, embedded: new Map() };
}

const depthOf = (path: string) => path.split("/").length;
const byDepth = (one: string, other: string) => depthOf(one) - depthOf(other);

/** A file in the order of its book. */
type Listed = { path: string; title: string | null; part: string | null; label: string | null };

/** What a list of contents says of a text; its own heading says more than the list's words. */
const withoutNulls = ({ title, part, label }: Omit<Listed, "path">, own: BookText) => ({
  part,
  ...(title !== null && { label, title: own.heading ?? title }),
});

/** Reads GitBook's list of contents, which mdBook has too. Sections within chapters are numbered like `Chapter 4.2`. */
function listedIn(path: string, summary: string, files: readonly string[]): Listed[] {
  const known = new Set(files);
  const listed: Listed[] = [];
  let part: string | null = null;
  let number = 0;
  const add = (node: Nodes, label: string | null) => {
    if (node.type !== "link") return;
    const target = posix.join(posix.dirname(path), decoded(node.url.replace(/#.*/, "")));
    if (!known.has(target) || listed.some((each) => each.path === target)) return;
    listed.push({ path: target, title: wordsOf(node), part, label });
  };
  const addItems = (list: List, above: string) => {
    for (const [index, item] of list.children.entries()) {
      const its = above === "" ? String(++number) : `${above}.${index + 1}`;
      for (const child of item.children) {
        if (child.type === "paragraph") {
          for (const link of child.children) add(link, above === "" ? null : `Chapter ${its}`);
        } else if (child.type === "list") addItems(child, its);
      }
    }
  };
  for (const node of parseMarkdown(summary).children) {
    // the first heading is the list's own
    if (node.type === "heading" && (listed.length > 0 || node.depth > 1)) part = wordsOf(node);
    if (node.type === "thematicBreak") part = null;
    if (node.type === "paragraph") {
      if (number > 0) part = null;
      for (const link of node.children) add(link, wordsOf(link).slice(0, 40));
    }
    if (node.type === "list") addItems(node, "");
  }
  return listed;
}

const natural = new Intl.Collator("en", { numeric: true });

/** Orders files as people read their names. Folders of texts become parts if there are several. */
function inNaturalOrder(candidates: readonly string[]): Listed[] {
  const texts = candidates.filter((path) => !ABOUT.test(path));
  const chosen = texts.filter((path) => texts.length === 1 || !/^readme\.\w+$/i.test(path));
  const folders = new Set(chosen.map((path) => posix.dirname(path)));
  const compare = (one: string, other: string) =>
    natural.compare(posix.dirname(one), posix.dirname(other)) || natural.compare(one, other);
  return chosen.toSorted(compare).map((path) => {
    const folder = posix.dirname(path);
    const part = folders.size > 1 && folder !== "." ? nameOf(posix.basename(folder)) : null;
    return { path, title: null, part, label: null };
  });
}

/** Returns a file's or folder's name as words. */
function nameOf(path: string): string {
  const words = bareName(path)
    .replace(/[-_]+/g, " ")
    .replace(/^\d+\.? +(?=\S)/, "")
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1) || path;
}

/** Makes a text of Markdown. Its title is in its fields, or its first heading, or its file's name. */
function newText(path: string, markdown: string, line: number, given: unknown): BookText {
  const { children } = parseMarkdown(markdown);
  const [top, next] = headingsOf({ type: "root", children });
  // the book's title may be above the chapter's own
  const first =
    top && next && next.block === top.block + 1 && top.level === next.level
      ? { ...next, start: top.start }
      : top;
  const isOnTop = children.slice(0, top?.block).every(({ type }) => type === "html");
  const isTitle =
    first && (typeof given === "string" ? isSameHeading(first.words, given) : isOnTop);
  const heading = isTitle ? first.words : null;
  const words = typeof given === "string" ? given : (heading ?? nameOf(path));
  return {
    path,
    markdown: isTitle ? withoutLines(markdown, first) : markdown,
    line,
    ...readTitle(words.trim()),
    heading,
    part: null,
    summary: null,
    publish: null,
  };
}

/** Returns a text with blank lines in place of a heading, so that the others keep their numbers. */
const withoutLines = (markdown: string, { start, end }: { start: number; end: number }) =>
  markdown
    .split("\n")
    .map((line, at) => (at >= start && at < end ? "" : line))
    .join("\n");

function fromFields(fields: Record<string, unknown>): Partial<BookText> {
  const summary = fields.summary ?? fields.description ?? fields.excerpt;
  const isDraft = fields.draft === true || fields.publish === "draft";
  return {
    ...(typeof summary === "string" && summary.trim() !== "" && { summary }),
    ...(isDraft && { publish: "draft" }),
  };
}

/** Most characters of a text that an edition takes, with room for other alphabets. */
const MAX_LENGTH = 120_000;

/** Divides a whole book into its chapters, and a text that is too large into several. */
function divided(text: BookText, { isBook }: { isBook: boolean }): BookText[] {
  const fits = text.markdown.length <= MAX_LENGTH && !unparsablePart(text.markdown);
  if (!isBook && fits) return [text];
  const sections = divide(text.markdown);
  if (sections.length < 2) return [text];
  return sections.flatMap(({ words, part, start, markdown }) => {
    const { title, label } = words === null ? { title: text.title, label: null } : readTitle(words);
    const ownLabel = words === null ? title.slice(0, 40) : label;
    const piece = { ...text, title, heading: words, markdown, line: text.line + start };
    return isBook
      ? divided({ ...piece, part, label: ownLabel }, { isBook: false })
      : { ...piece, label: text.label ?? (words === null ? null : title.slice(0, 40)) };
  });
}

/** Reads a text without control characters. Throws an OperatorError unless it is UTF-8. */
async function readText(file: string, path: string): Promise<string> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(await readFile(file));
  } catch {
    throw new OperatorError(`${path} is not in UTF-8. Save it in that encoding, then try again.`);
  }
  return text.replace(/\r\n?|[\u2028\u2029]/g, "\n").replace(/(?![\t\n])\p{Cc}/gu, "");
}
