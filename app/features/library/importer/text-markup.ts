import type { Heading, Nodes, Paragraph, PhrasingContent, Root, RootContent } from "mdast";
import { visit } from "unist-util-visit";
import { unrenderablePart } from "~/features/markdown/markdown-limits";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import { wordsOf } from "~/features/markdown/unparsed-markup";

/** Numbers of blocks by the keys of their anchors. */
export type Anchors = ReadonlyMap<string, number>;

/** Pandoc's attributes, as mdBook and kramdown have them too: `{#id .class width=50%}`. */
const ATTRIBUTES = /\{:?\s*([#.][^{}\n]*|-|[\w-]+=[^{}\n]*)\}/;
const LEADING_ATTRIBUTES = new RegExp(`^${ATTRIBUTES.source}`);
const LAST_ATTRIBUTES = new RegExp(`${ATTRIBUTES.source}$`);
const ID = /^#([^\s#.]+)/;

const WRAPPING_TAG = /^<(\/?)(sub|sup|kbd)(?:\s[^>]*)?>$/i;
const LINE_BREAK = /^<br\s*\/?>$/i;
const NAMED_PLACE = /^<a\s+(?:id|name)\s*=\s*["']?([^"'\s>]+)["']?\s*\/?>(?:<\/a>)?$/i;
const COMMENT = /^<!--[\s\S]*-->$/;

/** Whether HTML in a text is a comment. */
export const isComment = (html: string) => COMMENT.test(html.trim());

/** Whether HTML in a text is a comment, or has been read by `readMarkup`. */
export const isReadHtml = (html: string) =>
  [COMMENT, LINE_BREAK, NAMED_PLACE].some((pattern) => pattern.test(html.trim()));

/** Nodes with phrasing in them. */
const PHRASING_PARENTS = [
  "heading",
  "paragraph",
  "tableCell",
  "emphasis",
  "strong",
  "delete",
  "link",
];

const hasPhrasing = (node: Nodes): node is Heading | Paragraph =>
  PHRASING_PARENTS.includes(node.type);

/** Whether a part of a text becomes a numbered block of its page. */
const isBlock = ({ type }: RootContent) =>
  !["definition", "footnoteDefinition", "html", "thematicBreak"].includes(type);

/**
 * Returns what the anchor of a heading and a link to it have in common. GitHub, mdBook and pandoc make different
 * anchors of a heading, but of the same letters and digits.
 */
export const anchorKey = (words: string) => words.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

/**
 * Reads what books write beyond GitHub's Markdown, and changes the tree: line breaks, `<sub>`, `<sup>` and `<kbd>`
 * become nodes, attributes go. Returns the anchors of headings and of named places. A second heading of the same words
 * has the anchor with `-1`, as everywhere.
 */
export function readMarkup(tree: Root): Anchors {
  const named = new Map<string, number>();
  const headings = new Map<string, number>();
  let block = 0;
  const name = (id: string, at = block) => void named.set(anchorKey(id), at);
  for (const child of tree.children) {
    if (isBlock(child)) block += 1;
    if (child.type === "html") {
      const [, id] = NAMED_PLACE.exec(child.value.trim()) ?? [];
      if (id !== undefined) name(id, block + 1);
    }
    visit(child, (node) => {
      if (hasPhrasing(node)) node.children = withoutAttributes(withTags(node.children, name));
      if (node.type !== "heading") return;
      const id = takeHeadingAttributes(node.children);
      if (id !== null) name(id);
      const words = anchorKey(wordsOf(node));
      let key = words;
      for (let again = 1; headings.has(key); again += 1) key = `${words}${again}`;
      headings.set(key, block);
    });
  }
  return new Map([...headings, ...named]);
}

/** Returns the anchors of a text; none if it cannot be rendered. */
export function anchorsIn(body: string): Anchors {
  const tree = parseMarkdown(body);
  return unrenderablePart(tree) ? new Map() : readMarkup(tree);
}

type OpenTag = { name: string; tag: PhrasingContent | null; children: PhrasingContent[] };

/** Returns phrasing with HTML tags as nodes. Tags that are not closed, and all others, stay as they are. */
function withTags(children: PhrasingContent[], onName: (id: string) => void): PhrasingContent[] {
  if (!children.some(({ type }) => type === "html")) return children;
  const outermost: OpenTag = { name: "", tag: null, children: [] };
  const open = [outermost];
  const innermost = () => open.at(-1) ?? outermost;
  let places = 0;
  for (const child of children) {
    const html = child.type === "html" ? child.value : "";
    const [, slash, tagName = ""] = WRAPPING_TAG.exec(html) ?? [];
    const [, id] = NAMED_PLACE.exec(html) ?? [];
    if (LINE_BREAK.test(html)) {
      innermost().children.push({ type: "break" });
    } else if (id !== undefined) {
      onName(id);
      places += 1;
    } else if (html === "</a>" && places > 0) {
      places -= 1;
    } else if (slash === "") {
      open.push({ name: tagName.toLowerCase(), tag: child, children: [] });
    } else if (slash && innermost().name === tagName.toLowerCase()) {
      const { name: hName, children: inner } = open.pop() ?? outermost;
      innermost().children.push({ type: "emphasis", data: { hName }, children: inner });
    } else {
      innermost().children.push(child);
    }
  }
  for (const { tag, children: inner } of open.slice(1)) {
    if (tag) outermost.children.push(tag, ...inner);
  }
  return outermost.children;
}

/** Returns phrasing without the attributes that follow an image, a link or code. */
function withoutAttributes(children: PhrasingContent[]): PhrasingContent[] {
  const attributed = ["image", "imageReference", "link", "linkReference", "inlineCode"];
  return children.flatMap((child, index) => {
    const isAfter = attributed.includes(children[index - 1]?.type ?? "");
    if (child.type !== "text" || !isAfter) return [child];
    const value = child.value.replace(LEADING_ATTRIBUTES, "");
    return value === "" ? [] : [{ ...child, value }];
  });
}

/** Removes the attributes at a heading's end. Returns its id; null if it has none. */
function takeHeadingAttributes(children: PhrasingContent[]): string | null {
  const last = children.at(-1);
  if (last?.type !== "text") return null;
  const [, attributes = ""] = LAST_ATTRIBUTES.exec(last.value.trimEnd()) ?? [];
  if (attributes === "") return null;
  last.value = last.value.trimEnd().replace(LAST_ATTRIBUTES, "").trimEnd();
  return ID.exec(attributes)?.[1] ?? null;
}

/** Returns an address without percent-encoding, or as it is if that is invalid. */
export function decoded(url: string): string {
  try {
    return decodeURIComponent(url);
  } catch {
    return url;
  }
}
