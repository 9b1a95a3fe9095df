import { createHash } from "node:crypto";
import type { Element, ElementContent, Root as HtmlRoot, RootContent } from "hast";
import { sanitize } from "hast-util-sanitize";
import { toHtml } from "hast-util-to-html";
import { toString as textOf } from "hast-util-to-string";
import type { FootnoteReference, Nodes, Root } from "mdast";
import { type State, toHast } from "mdast-util-to-hast";
import remarkSmartypants from "remark-smartypants";
import { unified } from "unified";
import { EXIT, SKIP, visit } from "unist-util-visit";
import { unrenderablePart } from "~/features/markdown/markdown-limits";
import { nestHeadings, parseMarkdown, TEXT_SCHEMA } from "~/features/markdown/markdown-tree.server";
import { blockId, documentPath, MEDIA_PATH } from "../library-paths";
import { mediaName } from "../media-name";
import type { EditionProblem } from "./edition-problem";
import type { MediaFile } from "./media-files.server";
import { type EditionSource, resolvePath, type SourceDocument } from "./read-source.server";
import { type Anchors, anchorKey, anchorsIn, decoded, isReadHtml, readMarkup } from "./text-markup";
import { MARKDOWN } from "./text-slug";

/** Part of every render key. Raise it when the same text renders differently. */
const RENDER_VERSION = 3;

/** A text rendered for its page. */
export type RenderedDocument = {
  /** Sanitized. Blocks have the ids `p1`, `p2` and so on. A footnote follows the block that refers to it. */
  html: string;
  /** Plain text of each block, with its footnotes. */
  blocks: string[];
  wordCount: number;
};

/** Targets that texts may refer to, by path. */
export type References = {
  documents: ReadonlyMap<string, SourceDocument>;
  media: ReadonlyMap<string, MediaFile>;
  unusable: ReadonlyMap<string, string>;
};

/** Returns an edition's texts and files by path. */
export function referencesOf({ documents, media, unusable }: EditionSource): References {
  return {
    documents: new Map(documents.map((document) => [document.path, document])),
    media,
    unusable,
  };
}

/** Matches anything like a file name in a text, with a heading in that file. */
const FILE_NAME = /(?:<[^<>\n]+|[^\s()<>[\]"'`*]+)\.[a-z0-9]{2,8}\b(?:#[^\s()<>"'`]+)?/gi;

const anchors = new WeakMap<SourceDocument, Anchors>();

/** Returns the number of the block that a link names by its part after `#`; undefined if there is none. */
function blockNamed(document: SourceDocument, fragment: string): number | undefined {
  const found = anchors.get(document) ?? anchorsIn(document.body);
  anchors.set(document, found);
  return found.get(anchorKey(decoded(fragment)));
}

/**
 * Returns a digest of all that a text's HTML depends on: the text and the files it names. Texts with the same key
 * render alike, and if one rendered, none has mistakes.
 */
export function renderKeyOf(document: SourceDocument, references: References): string {
  const hash = createHash("sha256").update(
    `${RENDER_VERSION}\0${document.language}\0${document.body}`,
  );
  for (const [name] of document.body.matchAll(FILE_NAME)) {
    const [file = "", fragment] = name.replace(/^</, "").split("#", 2);
    const path = resolvePath(document.path, decoded(file));
    const target = references.documents.get(path);
    const media = references.media.get(path);
    if (target && fragment !== undefined) hash.update(`\0#${blockNamed(target, fragment)}`);
    hash.update(`\0${target && documentPath(target)}\0${media?.sha256}\0${media?.width}`);
  }
  return hash.digest("hex");
}

/** Quotation marks of languages other than English: double opening and closing, then single. */
// biome-ignore format: a table
const QUOTES: Record<string, string> = {
  cs: "„“‚‘", da: "»«›‹", de: "„“‚‘", et: "„“‚‘", fi: "””’’", fr: "«»‹›", hr: "„”‚’",
  hu: "„”»«", it: "«»“”", lt: "„“‚‘", lv: "“”‘’", nb: "«»‘’", nn: "«»‘’", no: "«»‘’",
  pl: "„”‚’", pt: "«»“”", ro: "„”«»", ru: "«»„“", sk: "„“‚‘", sl: "„“‚‘", sr: "„”‚’",
  es: "«»“”", sv: "””’’", uk: "«»„“", ja: "「」『』",
};

const DEFAULT_QUOTES = "“”‘’";

/** Returns the typography of a language, made once. */
function typographyOf(language: string) {
  const known = typographies.get(language) ?? makeTypography(language);
  typographies.set(language, known);
  return known;
}

const typographies = new Map<string, ReturnType<typeof makeTypography>>();

function makeTypography(language: string) {
  const [open = "", close = "", openSingle = "", closeSingle = ""] =
    QUOTES[language.split("-")[0] ?? ""] ?? DEFAULT_QUOTES;
  return unified()
    .use(setLongDashes)
    .use(remarkSmartypants, {
      openingQuotes: { double: open, single: openSingle },
      closingQuotes: { double: close, single: closeSingle },
    });
}

/** Three dashes, which the library would leave as they are. */
const LONG_DASH = /(?<!-)---(?!-)/g;

const setLongDashes = () => (tree: Root) => {
  visit(tree, "text", (node) => {
    node.value = node.value.replace(LONG_DASH, "—");
  });
};

/** Punctuation that typography may change. */
const PLAIN_PUNCTUATION = /["'`]|--|\.\s*\.\s*\./;

/** Sets typographic punctuation in the tree of `source`, only in blocks that need it: the library parses every word. */
function setTypography(tree: Root, source: string, language: string): Root {
  const typography = typographyOf(language);
  const children = tree.children.map((block) => {
    const { start, end } = block.position ?? {};
    if (!PLAIN_PUNCTUATION.test(source.slice(start?.offset, end?.offset))) return block;
    const alone: Root = { type: "root", children: [block] };
    return (typography.runSync(alone) as Root).children[0] ?? block;
  });
  return { ...tree, children };
}

/** Returns one line of text, such as a title, with typographic punctuation. */
export function typographic(line: string, language: string): string {
  if (!PLAIN_PUNCTUATION.test(line)) return line;
  const root: Root = {
    type: "root",
    children: [{ type: "paragraph", children: [{ type: "text", value: line }] }],
  };
  return textOf(toHast(typographyOf(language).runSync(root) as Root) as HtmlRoot);
}

/**
 * Renders a text: CommonMark with GitHub's tables, strikethrough and footnotes, and typographic punctuation. The HTML
 * is safe for any text. If the text has mistakes, returns all of them instead, with their lines.
 */
export function renderDocument(
  document: SourceDocument,
  references: References,
): RenderedDocument | { problems: EditionProblem[] } {
  const { path: file, body, bodyLine } = document;
  const tree = parseMarkdown(body);
  let unrenderable = unrenderablePart(tree);
  if (!unrenderable) {
    readMarkup(tree);
    // tags may be nested too
    unrenderable = unrenderablePart(tree);
  }
  if (unrenderable) {
    const { line, problem } = unrenderable;
    return { problems: [{ file, line: line + bodyLine - 1, problem }] };
  }
  const problems: EditionProblem[] = [];
  const images = resolveReferences(tree, document, references, (node, problem) =>
    problems.push({ file, line: (node.position?.start.line ?? 1) + bodyLine - 1, problem }),
  );
  if (problems.length > 0) return { problems };
  return toBlocks(setTypography(tree, body, document.language), images);
}

/** What remains in the text of a reference to a missing footnote. */
const FOOTNOTE_MARK = /\[\^[^\]\s]+\]/;

type Report = (node: Nodes, problem: string) => void;

/** Replaces file references with addresses. Returns the images by address. */
function resolveReferences(
  tree: Root,
  document: SourceDocument,
  references: References,
  report: Report,
): Map<string, MediaFile> {
  const images = new Map<string, MediaFile>();
  const asImages = new Set<string>();
  visit(tree, (node) => {
    if (node.type === "imageReference") asImages.add(node.identifier);
  });
  const resolveImage = (node: Nodes & { url: string }) => {
    const path = resolvePath(document.path, decoded(node.url));
    const media = references.media.get(path);
    if (isElsewhere(node.url)) {
      report(node, `${node.url}: only files of the edition can be images`);
    } else if (!media || media.width === null) {
      report(node, `${node.url}: ${references.unusable.get(path) ?? "there is no such image"}`);
    } else {
      node.url = MEDIA_PATH + mediaName(media);
      images.set(node.url, media);
    }
  };
  visit(tree, (node) => {
    if (node.type === "html" && !isReadHtml(node.value)) {
      report(node, "HTML has no effect here; write Markdown");
    } else if (node.type === "text" && FOOTNOTE_MARK.test(node.value)) {
      report(node, `there is no footnote ${FOOTNOTE_MARK.exec(node.value)?.[0]}`);
    } else if (node.type === "image" || node.type === "imageReference") {
      if (!node.alt?.trim()) {
        report(
          node,
          "an image has no description for people who can't see it: ![description](file)",
        );
      }
      if (node.type === "image") resolveImage(node);
    } else if (node.type === "definition" && asImages.has(node.identifier)) {
      resolveImage(node);
    } else if (node.type === "link" || node.type === "definition") {
      const address = linkAddress(node.url, document, references);
      if (typeof address === "string") node.url = address;
      else report(node, `a link leads to '${node.url}'; ${address.problem}`);
    } else if (node.type === "listItem" && typeof node.checked === "boolean") {
      report(node, "checkboxes don't work here; write a plain list");
    }
  });
  return images;
}

function isElsewhere(url: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\//i.test(url);
}

function linkAddress(
  url: string,
  document: SourceDocument,
  references: References,
): string | { problem: string } {
  if (/^\/(?!\/)/.test(url)) return url;
  if (/^(?:https?:\/\/|mailto:)./i.test(url) && URL.canParse(url)) return url;
  if (isElsewhere(url)) return { problem: "wanted https://…, mailto:… or a file of the edition" };
  const [file = "", fragment = ""] = url.split("#", 2);
  const path = resolvePath(document.path, decoded(file));
  const target = file === "" ? document : references.documents.get(path);
  if (target && fragment !== "") {
    const block = blockNamed(target, fragment);
    if (block === undefined) return { problem: `there is no such heading in ${target.path}` };
    return `${file === "" ? "" : documentPath(target)}#${blockId(block)}`;
  }
  if (target) return documentPath(target);
  const media = references.media.get(path);
  if (media) return MEDIA_PATH + mediaName(media);
  return {
    problem:
      references.unusable.get(path) ?? `there is no such ${MARKDOWN.test(path) ? "text" : "file"}`,
  };
}

/** Renders the text as HTML, block by block, each followed by the footnotes that it refers to first. */
function toBlocks(tree: Root, images: ReadonlyMap<string, MediaFile>): RenderedDocument {
  const notes = new Map<string, { number: number; content: ElementContent[] }>();
  const noteOf = (state: State, { identifier }: FootnoteReference) => {
    const known = notes.get(identifier);
    if (known) return known.number;
    const number = notes.size + 1;
    const note = { number, content: [] as ElementContent[] };
    notes.set(identifier, note);
    const definition = state.footnoteById.get(identifier.toUpperCase());
    if (definition) note.content = state.all(definition);
    return number;
  };
  const html = toHast(tree, {
    handlers: {
      // what has no effect on the page; the rest has been reported
      html: () => undefined,
      footnoteReference: (state: State, node: FootnoteReference): Element => ({
        type: "element",
        tagName: "a",
        properties: { href: `#fn-${noteOf(state, node)}` },
        children: [{ type: "text", value: String(noteOf(state, node)) }],
      }),
    },
  }) as HtmlRoot;
  const clean = (children: RootContent[]) =>
    sanitize({ type: "root", children }, TEXT_SCHEMA) as HtmlRoot;
  const text = clean(html.children);
  nestHeadings(text);

  const contents = new Map([...notes.values()].map((note) => [note.number, note.content]));
  const blocks: string[] = [];
  const children: RootContent[] = [];
  const placed = new Set<number>();
  for (const unframed of text.children) {
    if (unframed.type !== "element") continue;
    const child = isWideTable(unframed) ? framed(unframed) : unframed;
    const noteNumbers = footnotesIn(child);
    for (const number of noteNumbers) {
      // a footnote may refer to another one
      noteNumbers.push(...footnotesIn({ type: "root", children: contents.get(number) ?? [] }));
      if (noteNumbers.length > notes.size + 10) break;
    }
    children.push(child);
    const asides = [...new Set(noteNumbers)]
      .filter((number) => !placed.has(number))
      .map((number) => {
        placed.add(number);
        return footnote(number, clean(contents.get(number) ?? []).children as ElementContent[]);
      });
    children.push(...asides);
    if (child.tagName !== "hr") {
      blocks.push([child, ...asides].map((part) => plainText(part)).join(" "));
      child.properties.id = blockId(blocks.length);
    }
  }
  const root: HtmlRoot = { type: "root", children };
  finish(root, images);
  const wordCount = blocks.reduce((sum, block) => sum + wordsIn(block), 0);
  return { html: toHtml(root), blocks, wordCount };
}

/** Minimum number of columns of a table that scrolls in a frame, where others fit into narrow windows. */
const WIDE_TABLE_COLUMNS = 5;

function isWideTable(table: Element): boolean {
  let columns = 0;
  visit(table, "element", ({ tagName, children }) => {
    if (tagName === "tr") columns = children.filter(({ type }) => type === "element").length;
    return columns > 0 ? EXIT : undefined;
  });
  return table.tagName === "table" && columns >= WIDE_TABLE_COLUMNS;
}

/** Returns a table in a frame that keyboards can scroll. */
function framed(table: Element): Element {
  const properties = {
    className: ["table-frame"],
    role: "region",
    ariaLabel: "Table",
    tabIndex: 0,
  };
  return { type: "element", tagName: "div", properties, children: [table] };
}

const FOOTNOTE_LINK = /^#fn-(\d+)$/;

function footnotesIn(node: Element | HtmlRoot): number[] {
  const numbers: number[] = [];
  visit(node, "element", ({ properties }) => {
    const number = FOOTNOTE_LINK.exec(String(properties.href ?? ""))?.[1];
    if (number !== undefined) numbers.push(Number(number));
  });
  return numbers;
}

function footnote(number: number, content: ElementContent[]): Element {
  return {
    type: "element",
    tagName: "aside",
    properties: { className: ["footnote"], id: `fn-${number}`, role: "note" },
    children: [
      {
        type: "element",
        tagName: "a",
        properties: {
          className: ["footnote-number"],
          href: `#fnref-${number}`,
          ariaLabel: `Footnote ${number}, back to the text`,
        },
        children: [{ type: "text", value: String(number) }],
      },
      ...content,
    ],
  };
}

/** Adds what the sanitizer forbids in texts: ids and classes of footnotes, and image sizes. */
function finish(root: HtmlRoot, images: ReadonlyMap<string, MediaFile>): void {
  const referred = new Set<string>();
  visit(root, (node) => {
    // readers do not need positions
    delete node.position;
    if (node.type !== "element") return;
    const { properties } = node;
    const number = FOOTNOTE_LINK.exec(String(properties.href ?? ""))?.[1];
    if (number !== undefined) {
      properties.className = ["footnote-ref"];
      properties.role = "doc-noteref";
      properties.ariaLabel = `Footnote ${number}`;
      if (!referred.has(number)) properties.id = `fnref-${number}`;
      referred.add(number);
    }
    const image = images.get(String(properties.src ?? ""));
    if (node.tagName === "img" && image) {
      Object.assign(properties, { width: image.width, height: image.height, loading: "lazy" });
      return SKIP;
    }
    return undefined;
  });
}

function plainText(element: Element): string {
  let text = "";
  visit(element, (node) => {
    if (node.type === "text") text += node.value;
    if (node.type !== "element") return undefined;
    const href = String(node.properties.href ?? "");
    // footnote numbers are not words of the text
    return FOOTNOTE_LINK.test(href) || href.startsWith("#fnref-") ? SKIP : undefined;
  });
  return text.replace(/\s+/g, " ").trim();
}

/** A character of Chinese or Japanese, which have no spaces between words, and their punctuation. */
const IDEOGRAM = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]+/gu;

/** Counts words; of Chinese and Japanese, two characters as one, since people read about 500 a minute. */
function wordsIn(text: string): number {
  const ideograms = text.match(IDEOGRAM)?.length ?? 0;
  return Math.ceil(ideograms / 2) + (text.replace(WIDE, " ").match(/\S+/g)?.length ?? 0);
}
