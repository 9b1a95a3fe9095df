import type { Element } from "hast";
import { fromHtml } from "hast-util-from-html";
import type { Nodes, Root } from "mdast";
import rehypeRemark from "rehype-remark";
import remarkGfm from "remark-gfm";
import remarkStringify from "remark-stringify";
import { unified } from "unified";
import { visit } from "unist-util-visit";

/** Keeps a tag that editions take. */
const keepTag =
  (name: string) =>
  (state: { all(node: Element): Nodes[] }, node: Element): Nodes[] => [
    { type: "html", value: `<${name}>` },
    ...state.all(node),
    { type: "html", value: `</${name}>` },
  ];

const converter = unified()
  .use(rehypeRemark, {
    handlers: { sub: keepTag("sub"), sup: keepTag("sup"), kbd: keepTag("kbd") },
  })
  .use(remarkGfm)
  .use(remarkStringify, { bullet: "-", emphasis: "*", rule: "*", resourceLink: true });

/** Converts HTML to Markdown. `onElement` gets the name of each element. */
export function htmlToMarkdown(html: string, onElement?: (name: string) => void): string {
  const tree = fromHtml(html, { fragment: true });
  visit(tree, "element", ({ tagName }) => onElement?.(tagName));
  return converter.stringify(converter.runSync(tree) as Root).trim();
}

const NOTE_REFERENCE = /<a href="#((?:foot|end)note-\d+)"[^>]*>[^<]*<\/a>/g;
const WAY_BACK = / ?<a href="#(?:foot|end)note-ref-\d+">[^<]*<\/a>/g;
const NOTE_LIST = /<ol>((?:<li id="(?:foot|end)note-\d+">.*?<\/li>)+)<\/ol>/gs;
const NOTE = /<li id="([a-z]+note-\d+)">(.*?)<\/li>/gs;
const MARK = /<sup>((?:\\\[\^[a-z]+note-\d+\])+)|\\\[\^[a-z]+note-\d+\]/g;

/** Converts the HTML that mammoth makes of a file of Word. Its notes become footnotes. */
export function wordToMarkdown(html: string): string {
  const marked = html
    .replace(NOTE_REFERENCE, "[^$1]")
    .replace(WAY_BACK, "")
    .replace(NOTE_LIST, (_, notes: string) =>
      notes.replace(NOTE, (_note, id: string, content: string) => {
        const line = content.replace(/<\/p>\s*<p>/g, " ").replace(/<\/?p>/g, "");
        return `<p>[^${id}]: ${line}</p>`;
      }),
    );
  return htmlToMarkdown(marked)
    .replace(MARK, (found, inTag?: string) => (inTag ? `${inTag}<sup>` : found))
    .replace(/\\(\[\^[a-z]+note-\d+\])/g, "$1")
    .replaceAll("<sup></sup>", "");
}
