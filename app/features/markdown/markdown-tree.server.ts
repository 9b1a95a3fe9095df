import type { Element, ElementContent, Root, RootContent } from "hast";
import type { Root as MarkdownRoot } from "mdast";
import rehypeSanitize, { type Options as SanitizeSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { visit } from "unist-util-visit";

/** A text as a sanitised HTML tree, which pages, mails and feeds render with components of their own. */
export type MarkdownTree = Root;

/** Where an image is served, and its size in CSS pixels. */
export type ImageSource = { src: string; width: number; height: number };

type Addresses = {
  /** What relative links are resolved against, for readers outside the site; links stay as they are without. */
  base?: string;
  /** The image behind an address in the text; an image without one is replaced by its alternative text. */
  imageAt: (address: string) => ImageSource | undefined;
};

/** Separates what everybody may read from what only members may. */
const MORE = /^<!--\s*more\s*-->$/;

/** How many blocks, at most, are the beginning of a text that does not say where its beginning ends. */
const BEGINNING_BLOCKS = 3;

/** Everything a text may contain. Elements that are not named here leave their words behind. */
export const TEXT_SCHEMA: SanitizeSchema = {
  tagNames: [
    ...["h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "ul", "ol", "li", "pre", "hr"],
    ...["table", "thead", "tbody", "tr", "th", "td"],
    ...["a", "em", "strong", "del", "code", "br", "img"],
  ],
  attributes: {
    a: ["href", "title"],
    img: ["src", "alt", "title"],
    ol: ["start"],
    th: [["align", "left", "center", "right"]],
    td: [["align", "left", "center", "right"]],
  },
  protocols: { href: ["http", "https", "mailto"], src: ["http", "https"] },
  strip: ["script", "style"],
  allowComments: true,
};

const parser = unified().use(remarkParse).use(remarkGfm);

const sanitiser = unified()
  .use(remarkRehype, {
    handlers: {
      // raw HTML is dropped, but for the mark between beginning and rest
      html: (_state, { value }: { value: string }) =>
        MORE.test(value.trim()) ? { type: "comment", value: "more" } : undefined,
    },
  })
  .use(rehypeSanitize, TEXT_SCHEMA);

/** A text's syntax tree with positions: CommonMark with GitHub's tables, strikethrough and bare links. */
export function parseMarkdown(source: string): MarkdownRoot {
  return parser.parse(source);
}

/**
 * A text as an HTML tree that is safe whatever the text says: only the elements and attributes a text needs,
 * no raw HTML, links by http, https and mailto, images by `imageAt` alone. Its headings begin at the second
 * level, below the page's own, and skip none.
 */
export function markdownTree(source: string, { base, imageAt }: Addresses): MarkdownTree {
  const tree = sanitiser.runSync(parseMarkdown(source)) as Root;
  nestHeadings(tree);
  visit(tree, (node, index, parent) => {
    // positions are of no use to readers, and as large as the text
    delete node.position;
    if (node.type !== "element") return;
    if (node.tagName === "a") node.properties = linkProperties(node, base);
    if (node.tagName === "img" && parent && index !== undefined) {
      parent.children[index] = imageOrText(node, imageAt);
    }
  });
  return tree;
}

/**
 * The text up to its `<!-- more -->`, or else its first three blocks but no more than half of it; and whether
 * that is all of it.
 */
export function beginningOf(tree: MarkdownTree): { tree: MarkdownTree; isWhole: boolean } {
  const blockCount = (nodes: RootContent[]) =>
    nodes.filter(({ type }) => type === "element").length;
  const total = blockCount(tree.children);
  const marked = tree.children.findIndex(({ type }) => type === "comment");
  let end = marked;
  if (marked === -1) {
    const shown = Math.min(BEGINNING_BLOCKS, Math.floor(total / 2));
    end = tree.children.findIndex((_, index) => blockCount(tree.children.slice(0, index)) >= shown);
  }
  const children = tree.children.slice(0, end);
  return { tree: { type: "root", children }, isWhole: blockCount(children) === total };
}

function linkProperties({ properties }: Element, base: string | undefined): Element["properties"] {
  const { href } = properties;
  if (base === undefined || typeof href !== "string" || !URL.canParse(href, base))
    return properties;
  return { ...properties, href: new URL(href, base).href };
}

function imageOrText(
  { properties }: Element,
  imageAt: Addresses["imageAt"],
): ElementContent & RootContent {
  const { src, alt = "", ...rest } = properties;
  const image = imageAt(String(src));
  if (!image) return { type: "text", value: String(alt) };
  return {
    type: "element",
    tagName: "img",
    properties: { ...rest, alt, ...image },
    children: [],
  };
}

/** Renumbers a text's headings: they begin at the second level, below the page's own, and skip none. */
export function nestHeadings(tree: Root): void {
  const levelOf = ({ tagName }: Element) => Number(/^h([1-6])$/.exec(tagName)?.[1] ?? 0);
  const headings: { element: Element; level: number }[] = [];
  visit(tree, "element", (element) => {
    const level = levelOf(element);
    if (level > 0) headings.push({ element, level });
  });
  const highest = Math.min(...headings.map(({ level }) => level));
  let previous = 1;
  for (const { element, level } of headings) {
    previous = Math.min(level - highest + 2, previous + 1, 6);
    element.tagName = `h${previous}`;
  }
}
