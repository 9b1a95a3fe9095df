import type { Element, ElementContent, Root, RootContent } from "hast";
import type { Root as MarkdownRoot } from "mdast";
import rehypeSanitize, { type Options as SanitizeSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import remarkParse from "remark-parse";
import remarkRehype from "remark-rehype";
import { unified } from "unified";
import { visit } from "unist-util-visit";

/** A text as a sanitized HTML tree. Pages, mails and feeds render it with their own components. */
export type MarkdownTree = Root;

/** An image's address, and its size in CSS pixels. */
export type ImageSource = { src: string; width: number; height: number };

type Addresses = {
  /** Resolves relative links, for readers outside the site; without it, links stay unchanged. */
  base?: string;
  /** Returns the image for an address in the text. Without one, its alternative text is shown. */
  imageAt: (address: string) => ImageSource | undefined;
};

/** Separates the public beginning from the members' rest. */
const MORE = /^<!--\s*more\s*-->$/;

/** Maximum number of blocks in the beginning of a text without a mark. */
const BEGINNING_BLOCKS = 3;

/** Everything a text may contain. Other elements are replaced by their content. */
export const TEXT_SCHEMA: SanitizeSchema = {
  tagNames: [
    ...["h1", "h2", "h3", "h4", "h5", "h6", "p", "blockquote", "ul", "ol", "li", "pre", "hr"],
    ...["table", "thead", "tbody", "tr", "th", "td"],
    ...["a", "em", "strong", "del", "code", "br", "img", "sub", "sup", "kbd"],
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

const sanitizer = unified()
  .use(remarkRehype, {
    handlers: {
      // drops raw HTML except the mark after the beginning
      html: (_state, { value }: { value: string }) =>
        MORE.test(value.trim()) ? { type: "comment", value: "more" } : undefined,
    },
  })
  .use(rehypeSanitize, TEXT_SCHEMA);

/** Parses a text, with positions: CommonMark with GitHub's tables, strikethrough and bare links. */
export function parseMarkdown(source: string): MarkdownRoot {
  return parser.parse(source);
}

/**
 * Renders any text as a safe HTML tree. It allows only the elements and attributes a text needs, no raw HTML, links by
 * http, https and mailto, and images from `imageAt`. Headings start at the second level, below the page's own, and
 * skip none.
 */
export function markdownTree(source: string, { base, imageAt }: Addresses): MarkdownTree {
  const tree = sanitizer.runSync(parseMarkdown(source)) as Root;
  nestHeadings(tree);
  visit(tree, (node, index, parent) => {
    // readers do not need positions, which are as large as the text
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
 * Returns the text up to its `<!-- more -->`, or else its first three blocks but at most half of it; and whether that
 * is all of it.
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

/** Renumbers a text's headings: they start at the second level, below the page's own, and skip none. */
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
