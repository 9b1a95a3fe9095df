import type { Element, Nodes } from "hast";
import { fromHtml } from "hast-util-from-html";
import { defaultHandlers, type Handle, type State, toMdast } from "hast-util-to-mdast";
import type { Root, RootContent } from "mdast";
import remarkGfm from "remark-gfm";
import remarkStringify from "remark-stringify";
import { unified } from "unified";

const writer = unified()
  .use(remarkGfm)
  .use(remarkStringify, { bullet: "-", emphasis: "*", rule: "*", resourceLink: true });

/** Keeps a tag that editions take. */
const keepTag = (state: State, node: Element): RootContent[] => [
  { type: "html", value: `<${node.tagName}>` },
  ...state.all(node),
  { type: "html", value: `</${node.tagName}>` },
];

const NOTE = /^(?:foot|end)note-\d+$/;
const WAY_BACK = /^(?:foot|end)note-ref-\d+$/;

const targetOf = (node: Element) => String(node.properties.href ?? "").replace(/^#/, "");
const isNote = (node: Nodes) => node.type === "element" && NOTE.test(String(node.properties.id));
const isReference = (node: Nodes) => node.type === "element" && NOTE.test(targetOf(node));

/** Tags that editions take, and Word's notes, of which mammoth makes a list with links there and back. */
const handlers: Record<string, Handle> = {
  sub: keepTag,
  sup: (state, node) => {
    const references = node.children.filter(isReference);
    const words = node.children.filter((child) => !isReference(child));
    return [
      ...state.all({ ...node, children: references }),
      ...(words.length > 0 ? keepTag(state, { ...node, children: words }) : []),
    ];
  },
  // a line break in a heading or a table must not end the line
  br: () => ({ type: "html", value: "<br>" }),
  a: (state, node) => {
    const { href, id, name = id } = node.properties;
    const target = targetOf(node);
    if (isReference(node)) return { type: "footnoteReference", identifier: target };
    if (WAY_BACK.test(target)) return [];
    if (href !== undefined) return defaultHandlers.a(state, node);
    const place = `<a id="${name}"></a>`;
    return [...(name ? [{ type: "html" as const, value: place }] : []), ...state.all(node)];
  },
  ol: (state, node) =>
    node.children.some(isNote) ? state.all(node) : defaultHandlers.ol(state, node),
  li: (state, node) =>
    isNote(node)
      ? {
          type: "footnoteDefinition",
          identifier: String(node.properties.id),
          children: state.toFlow(state.all(node)),
        }
      : defaultHandlers.li(state, node),
};

/** Converts HTML to Markdown. */
export const htmlToMarkdown = (html: string): string =>
  writer.stringify(toMdast(fromHtml(html, { fragment: true }), { handlers }) as Root).trim();
