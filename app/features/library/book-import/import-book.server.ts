import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, posix } from "node:path";
import { visit } from "unist-util-visit";
import { stringify } from "yaml";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { MAX_SUMMARY, MAX_TITLE } from "../importer/document-front-matter";
import { checkFolder, type FolderCheck } from "../importer/import-edition.server";
import { type Anchors, anchorKey, anchorsIn, decoded } from "../importer/text-markup";
import { MARKDOWN, slugFor } from "../importer/text-slug";
import { type BookText, isSameHeading, Losses } from "./book-text";
import { convertPicture } from "./convert-picture.server";
import { convertText } from "./convert-text";
import { type Book, readBook } from "./read-book.server";

/** The result of an import: the edition that was made, and what is not in it, in words. */
export type BookImport = { check: FolderCheck; losses: string[] };

/** Where an edition is made, within its folder: nobody reads hidden files there. */
const STAGE = ".import-";

/**
 * Makes an edition of a book in `folder`, which has no texts and no media. Its chapters appear there all at once, after
 * everything else. With `isDryRun`, leaves no file. Throws an OperatorError if there is no book.
 */
export async function importBook(
  path: string,
  folder: string,
  { isDryRun }: { isDryRun: boolean },
): Promise<BookImport> {
  const losses = new Losses();
  const book = await readBook(path, losses);
  if (!isDryRun) await mkdir(folder, { recursive: true });
  const stage = await mkdtemp(join(isDryRun ? tmpdir() : folder, STAGE));
  try {
    await writeEdition(book, stage, losses);
    const check = await checkFolder(stage);
    if (!isDryRun) {
      for (const part of ["media", "chapters"]) await rename(join(stage, part), join(folder, part));
    }
    return { check, losses: losses.lines() };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** A text with the file that it becomes. */
type Chapter = { text: BookText; file: string; anchors: Anchors };

async function writeEdition(book: Book, stage: string, losses: Losses): Promise<void> {
  const chapters = withFiles(book.texts);
  const pictures = await new Pictures(book, losses).read(book.texts);
  await mkdir(join(stage, "chapters"));
  await mkdir(join(stage, "media"));
  let part: string | null = null;
  for (const [index, { text, file }] of chapters.entries()) {
    const markdown = convertText(text, {
      linkTo: (url) => linkFrom(text, url, chapters, losses),
      pictureAt: (url) => pictures.addressOf(url, text.path),
      losses,
    });
    const fields = {
      title: line(text.title, MAX_TITLE) || file,
      ...(text.summary && { summary: line(text.summary, MAX_SUMMARY) }),
      order: index + 1,
      ...(text.part !== part && { part: line(text.part ?? "", MAX_TITLE) }),
      ...(text.label && { label: line(text.label, 40) }),
      ...(text.publish && { publish: text.publish }),
    };
    part = text.part;
    if (markdown === "") losses.add("text without words, left out", text);
    else
      await writeFile(
        join(stage, "chapters", file),
        `---\n${stringify(fields)}---\n\n${markdown}\n`,
      );
  }
  for (const [name, content] of pictures.made) await writeFile(join(stage, "media", name), content);
}

/** Returns words on one line, cut to a length in characters. */
const line = (words: string, max: number) =>
  words
    .replace(/\s+/g, " ")
    .replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, "")
    .trim()
    .slice(0, max);

function withFiles(texts: readonly BookText[]): Chapter[] {
  const digits = String(texts.length).length;
  const taken = new Set<string>();
  return texts.map((text, index) => {
    const number = String(index + 1).padStart(digits, "0");
    const slug = slugFor(text.title) ?? `chapter-${number}`;
    let own = slug;
    for (let again = 2; taken.has(own); again += 1) own = `${slug.slice(0, 70)}-${again}`;
    taken.add(own);
    return { text, file: `${number}-${own}.md`, anchors: anchorsIn(text.markdown) };
  });
}

/** Returns the address in the edition of what a text links to; null if it is not there. */
function linkFrom(
  from: BookText,
  url: string,
  chapters: readonly Chapter[],
  losses: Losses,
): string | null {
  if (/^(?:https?:\/\/|mailto:)./i.test(url)) return URL.canParse(url) ? url : null;
  const [address = "", fragment = ""] = decoded(url).split("#", 2);
  const pieces =
    address === "" ? piecesOf(from.path, chapters) : findPieces(address, from, chapters);
  const [first] = pieces;
  if (!first) return null;
  if (fragment === "") return first.file;
  for (const { text, file, anchors } of pieces) {
    if (text.heading !== null && isSameHeading(text.heading, fragment)) return file;
    if (anchors.has(anchorKey(fragment))) return `${text === from ? "" : file}#${fragment}`;
  }
  losses.add("link to a heading that is not there; it leads to the text", from);
  return first.file;
}

const piecesOf = (path: string, chapters: readonly Chapter[]) =>
  chapters.filter(({ text }) => text.path === path);

/** Finds the texts of a file by a relative path, with or without its extension, or by its name or title alone. */
function findPieces(address: string, from: BookText, chapters: readonly Chapter[]): Chapter[] {
  const bare = (path: string) =>
    path.replace(/\.(?:md|markdown|html?)$/i, "").replace(/\/?(?:index|readme)?$/i, "");
  const base = address.startsWith("/") ? "" : posix.dirname(from.path);
  const wanted = bare(posix.join(base, address).replace(/^\//, ""));
  const exact = chapters.filter(({ text }) => bare(text.path) === wanted);
  if (exact.length > 0 || /[/.]/.test(address.replace(MARKDOWN, ""))) return exact;
  return chapters.filter(
    ({ text }) => bare(posix.basename(text.path)) === bare(address) || text.title === address,
  );
}

/** Returns the addresses of what may be a picture, in Markdown and in Obsidian's links. */
function pictureAddresses(markdown: string): string[] {
  const addresses = [...markdown.matchAll(/!\[\[([^\]|]+)/g)].map(([, address = ""]) => address);
  visit(parseMarkdown(markdown), (node) => {
    if (node.type === "image" || node.type === "definition") addresses.push(node.url);
  });
  return addresses;
}

const DATA_ADDRESS = /^data:image\/([\w+.-]+);base64,(.+)$/s;

/** The pictures of a book, converted as far as an edition needs it. */
class Pictures {
  readonly made = new Map<string, Buffer>();
  readonly #names = new Map<string, string | null>();

  constructor(
    private readonly book: Book,
    private readonly losses: Losses,
  ) {}

  /** Reads every picture that the texts show. */
  async read(texts: readonly BookText[]): Promise<this> {
    for (const text of texts) {
      for (const url of pictureAddresses(text.markdown)) {
        const key = this.#keyOf(url, text.path);
        if (!this.#names.has(key)) this.#names.set(key, await this.#take(key, text));
      }
    }
    return this;
  }

  /** Returns a picture's address in an edition's chapters; null if there is none. */
  addressOf(url: string, path: string): string | null {
    const name = this.#names.get(this.#keyOf(url, path));
    return name ? `../media/${name}` : null;
  }

  /** Returns a picture's file in the book's folder, or its address as it is. */
  #keyOf(url: string, path: string): string {
    if (url.startsWith("data:") || this.book.embedded.has(url)) return url;
    const address = decoded(url.replace(/[?#].*$/, ""));
    const near = posix.normalize(posix.join(posix.dirname(path), address));
    const { files } = this.book;
    if (files.includes(near)) return near;
    const end = `/${address.replace(/^[./]+/, "")}`;
    return files.find((file) => `/${file}`.endsWith(end)) ?? url;
  }

  async #take(key: string, text: BookText): Promise<string | null> {
    const [, format = "", base64] = DATA_ADDRESS.exec(key) ?? [];
    const embedded =
      base64 === undefined ? this.book.embedded.get(key) : Buffer.from(base64, "base64");
    const isFile = this.book.files.includes(key) && !MARKDOWN.test(key);
    if (!embedded && !isFile) return null;
    const name = base64 === undefined ? basename(key) : `picture-${this.made.size + 1}.${format}`;
    const content = embedded ?? (await readFile(join(this.book.folder, key)).catch(() => null));
    const picture = content && (await convertPicture(content, name));
    if (!picture) return null;
    if (picture.isConverted)
      this.losses.add("picture in another format or too large, converted", text);
    const stem = slugFor(name.replace(/\.\w+$/, "")) ?? "picture";
    let own = stem + picture.extension;
    for (let again = 2; this.made.has(own); again += 1)
      own = `${stem}-${again}${picture.extension}`;
    this.made.set(own, picture.content);
    return own;
  }
}
