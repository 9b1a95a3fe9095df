import type { Html, Image, ImageReference, Link, LinkReference, Nodes, Text } from "mdast";
import { visit } from "unist-util-visit";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { isReadHtml, isWrappingTag } from "../importer/text-markup";
import type { BookText, Losses } from "./book-text";
import { htmlToMarkdown } from "./html-to-markdown";

/** What a text needs to know of the rest of its book. */
export type Surroundings = {
  /** Returns the new address of a link; null if it leads to nothing in the edition. */
  linkTo: (url: string) => string | null;
  /** Returns the new address of a picture; null if there is no such picture. */
  pictureAt: (url: string) => string | null;
  /** Whether code has lines that mdBook hides. */
  isMdBook: boolean;
  losses: Losses;
};

/** What replaces a part of a text, by its offsets. */
type Edit = { start: number; end: number; text: string };

/** Markdown for inline HTML, at its beginning and its end. */
const INLINE_TAGS: Readonly<Record<string, string>> = {
  ...{
    i: "*",
    em: "*",
    cite: "*",
    dfn: "*",
    b: "**",
    strong: "**",
    s: "~~",
    del: "~~",
    strike: "~~",
  },
  ...{ code: "`", tt: "`", samp: "`", var: "*", mark: "**", q: '"' },
};

/** Stands for the address of a tag that only names its place, which an edition takes. */
const KEPT = "kept";

/** Tags without words of their own, whose absence nobody notices. */
const SILENT_TAGS = [
  "span",
  "div",
  "p",
  "center",
  "font",
  "section",
  "figure",
  "figcaption",
  "img",
  "a",
  "u",
  "small",
];
const TAG = /^<(\/?)([a-z][\w-]*)([^>]*)>$/i;

/** Markup of mdBook, Jekyll, pandoc and Obsidian in plain text, what replaces it, and what is lost. */
const PLAIN_MARKUP: readonly { pattern: RegExp; text: string; loss?: string }[] = [
  { pattern: /%%.*?%%/gs, text: "" },
  { pattern: /==([^=\n]+)==/g, text: "**$1**" },
  { pattern: /[ \t]\^[a-z0-9]{6}$/gm, text: "" },
  { pattern: /^\[!(\w+)\][-+]?[ \t]*$/gm, text: "**$1**\\" },
  { pattern: /^\[!\w+\][-+]?[ \t]*(\S.*)$/gm, text: "**$1**\\" },
  { pattern: /^:{3,}.*$/gm, text: "", loss: "division of pandoc; its text stays" },
  { pattern: /\[([^[\]]*)\]\{[^{}]*\}/g, text: "$1" },
  { pattern: /\\(?:newpage|pagebreak|clearpage)\b/g, text: "" },
  { pattern: /^\{:[^{}]*\}[ \t]*$/gm, text: "" },
  { pattern: /\{%.*?%\}|\{\{.*?\}\}/gs, text: "", loss: "instruction to another program" },
  { pattern: /\[\^([^\]\s]+)\]/g, text: "($1)", loss: "reference to a footnote that is missing" },
];

const WIKI_LINK = /(!?)\[\[([^[\]|]+)(?:\|([^[\]]*))?\]\]/g;
const INLINE_NOTE = /\^\[([^[\]]+)\]/g;
const HIDDEN_LINE = /^[ \t]*#(?: .*)?\n/gm;

/** Returns a text's Markdown as an edition takes it. Counts what has no equal there. */
export function convertText(text: BookText, surroundings: Surroundings): string {
  const withoutBlocks = withoutHtmlBlocks(text, surroundings.losses);
  return convertInline({ ...text, markdown: withoutBlocks }, surroundings);
}

function withoutHtmlBlocks(text: BookText, losses: Losses): string {
  const edits: Edit[] = [];
  visit(parseMarkdown(text.markdown), "html", (node, _, parent) => {
    if (parent?.type === "paragraph" || isReadHtml(node.value) || !hasBlocks(parent)) return;
    const markdown = htmlToMarkdown(node.value, (name) => loseTag(name, text, node, losses));
    edits.push(replacing(node, parent?.type === "root" ? markdown : markdown.replace(/\s+/g, " ")));
  });
  return edited(text.markdown, edits);
}

const hasBlocks = (parent: Nodes | undefined) =>
  ["root", "blockquote", "listItem", "footnoteDefinition"].includes(parent?.type ?? "");

/** Tags that the converter of HTML turns into Markdown. */
const MARKDOWN_TAGS =
  /^(?:h[1-6]|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|caption|blockquote|pre|hr|br|sub|sup|kbd|summary|details)$/;

function loseTag(name: string, text: BookText, node: Nodes, losses: Losses): void {
  if (SILENT_TAGS.includes(name) || name in INLINE_TAGS || MARKDOWN_TAGS.test(name)) return;
  losses.add(`<${name}>; its text stays`, text, node.position?.start.line);
}

function convertInline(text: BookText, surroundings: Surroundings): string {
  const { markdown } = text;
  const { losses, linkTo, pictureAt, isMdBook } = surroundings;
  const tree = parseMarkdown(markdown);
  const edits: Edit[] = [];
  const notes: string[] = [];
  const links: (string | null)[] = [];
  const lose = (kind: string, node: Nodes) => losses.add(kind, text, node.position?.start.line);
  const definitions = new Map<string, string>();
  visit(tree, "definition", (node) => {
    definitions.set(node.identifier, node.url);
    edits.push(replacing(node, ""));
  });
  const targetOf = (node: Link | LinkReference | Image | ImageReference) =>
    "url" in node ? node.url : (definitions.get(node.identifier) ?? "");

  const picture = (node: Image | ImageReference | Html, url: string | null, words: string) => {
    if (!words.trim()) lose("picture without a description, which is now its name", node);
    if (url === null)
      lose("picture that is missing, unreadable or on another site; its description stays", node);
    const description = (words.trim() || nameIn(url)).replace(/[[\]\\]/g, "\\$&");
    edits.push(
      replacing(node, url === null ? description : `![${description}](${destination(url)})`),
    );
  };
  const relink = (node: Link | LinkReference) => {
    const [first, last] = [node.children[0], node.children.at(-1)];
    // addresses without words are links by themselves
    if (!first || !last || !markdown.startsWith("[", startOf(node))) return;
    const url = linkTo(targetOf(node));
    if (url === null) {
      lose("link to nothing in the book; its words stay", node);
      edits.push({ start: startOf(node), end: startOf(first), text: "" });
    }
    const text = url === null ? "" : `](${destination(url)})`;
    edits.push({ start: endOf(last), end: endOf(node), text });
  };
  const inlineTag = (node: Html) => {
    const [, slash, tag = "", attributes = ""] = TAG.exec(node.value) ?? [];
    const name = tag.toLowerCase();
    const attribute = (wanted: string) =>
      new RegExp(`\\b${wanted}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`, "i")
        .exec(attributes)
        ?.slice(1)
        .find(Boolean);
    if (name === "img") {
      return picture(node, pictureAt(attribute("src") ?? ""), attribute("alt") ?? "");
    }
    let replacement = INLINE_TAGS[name] ?? "";
    if (name === "a") {
      const place = attribute("id") ?? attribute("name");
      const href = attribute("href");
      const link = slash ? links.pop() : href === undefined ? place && KEPT : linkTo(href);
      if (!slash && !attributes.endsWith("/")) links.push(link ?? null);
      if (link === KEPT) return;
      if (link) replacement = slash ? `](${destination(link)})` : "[";
    } else if (!slash) loseTag(name, text, node, losses);
    edits.push(replacing(node, replacement));
  };
  const plainText = (node: Text) => {
    const source = markdown.slice(startOf(node), endOf(node));
    let converted = source.replace(WIKI_LINK, (_, mark: string, target: string, words?: string) => {
      const url = mark ? pictureAt(target) : linkTo(target);
      const name = words || (mark ? nameIn(target) : target.replace(/#/g, ", "));
      if (url === null) lose("link to nothing in the book; its words stay", node);
      return url === null ? name : `${mark}[${name}](${destination(url)})`;
    });
    for (const { pattern, text: replacement, loss } of PLAIN_MARKUP) {
      if (loss && converted.match(pattern)) lose(loss, node);
      converted = converted.replace(pattern, replacement);
    }
    converted = converted.replace(INLINE_NOTE, (_, note) => `[^inline-${notes.push(note)}]`);
    if (converted !== source)
      edits.push({ start: startOf(node), end: endOf(node), text: converted });
  };

  visit(tree, (node) => {
    if (node.type === "image" || node.type === "imageReference") {
      picture(node, pictureAt(targetOf(node)), node.alt ?? "");
    } else if (node.type === "link" || node.type === "linkReference") relink(node);
    else if (node.type === "html" && !isEditionHtml(node.value)) inlineTag(node);
    else if (node.type === "text") plainText(node);
    else if (node.type === "listItem" && typeof node.checked === "boolean") {
      const box = /\[[ xX]\]/.exec(markdown.slice(startOf(node), endOf(node)));
      const start = startOf(node) + (box?.index ?? 0);
      if (box) edits.push({ start, end: start + 3, text: node.checked ? "☑" : "☐" });
    } else if (node.type === "code" && isMdBook && /^rust\b/.test(node.lang ?? "")) {
      const source = markdown.slice(startOf(node), endOf(node));
      edits.push(replacing(node, source.replace(HIDDEN_LINE, "")));
    }
  });
  const footnotes = notes.map((note, index) => `\n\n[^inline-${index + 1}]: ${note}`);
  return edited(markdown, edits).trim() + footnotes.join("");
}

const isEditionHtml = (html: string) =>
  (isReadHtml(html) && !/^<a\b/i.test(html)) || isWrappingTag(html);

const startOf = (node: Nodes) => node.position?.start.offset ?? 0;
const endOf = (node: Nodes) => node.position?.end.offset ?? 0;
const replacing = (node: Nodes, text: string): Edit => ({
  start: startOf(node),
  end: endOf(node),
  text,
});

const destination = (url: string) => (/[\s()]/.test(url) ? `<${url}>` : url);

const nameIn = (url: string | null) =>
  (url?.split("/").at(-1) ?? "Picture").replace(/\.\w+$/, "").replace(/[-_]+/g, " ");

/** Applies edits from the end. Of two that overlap, the one that begins later stays. */
function edited(source: string, edits: Edit[]): string {
  let result = source;
  let limit = source.length + 1;
  const inOrder = edits.toSorted((one, other) => other.start - one.start || one.end - other.end);
  for (const { start, end, text } of inOrder) {
    if (end > limit) continue;
    result = result.slice(0, start) + text + result.slice(end);
    limit = start;
  }
  return result;
}
