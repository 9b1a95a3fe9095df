import type { Image, ImageReference, Link, LinkReference, Nodes, Text } from "mdast";
import { visit } from "unist-util-visit";
import { parseMarkdown } from "~/features/markdown/markdown-tree.server";
import type { BookText, Losses } from "./book-text";

/** What a text needs to know of the rest of its book. */
export type Surroundings = {
  /** Returns the new address of a link; null if it leads to nothing in the edition. */
  linkTo: (url: string) => string | null;
  /** Returns the new address of a picture; null if there is no such picture. */
  pictureAt: (url: string) => string | null;
  losses: Losses;
};

/** What replaces a part of a text, by its offsets. */
type Edit = { start: number; end: number; text: string };

/** Obsidian's markup in plain text, and what replaces it. `content check` names that of other programs. */
const PLAIN_MARKUP: readonly [pattern: RegExp, text: string][] = [
  [/%%.*?%%/gs, ""],
  [/==([^=\n]+)==/g, "**$1**"],
  [/[ \t]\^[a-z0-9]{6}$/gm, ""],
  [/^\[!(\w+)\][-+]?[ \t]*$/gm, "**$1**\\"],
  [/^\[!\w+\][-+]?[ \t]*(\S.*)$/gm, "**$1**\\"],
  // a reference to a footnote that is missing
  [/\[\^([^\]\s]+)\]/g, "($1)"],
];

const WIKI_LINK = /(!?)\[\[([^[\]|]+)(?:\|([^[\]]*))?\]\]/g;

/** Returns a text's Markdown as an edition takes it. Counts what has no equal there. `content check` names its HTML. */
export function convertText(text: BookText, surroundings: Surroundings): string {
  const { markdown } = text;
  const { losses, linkTo, pictureAt } = surroundings;
  const tree = parseMarkdown(markdown);
  const edits: Edit[] = [];
  const lose = (kind: string, node: Nodes) => losses.add(kind, text, node.position?.start.line);
  const definitions = new Map<string, string>();
  visit(tree, "definition", (node) => {
    definitions.set(node.identifier, node.url);
    edits.push(replacing(node, ""));
  });
  const targetOf = (node: Link | LinkReference | Image | ImageReference) =>
    "url" in node ? node.url : (definitions.get(node.identifier) ?? "");

  const picture = (node: Image | ImageReference) => {
    const url = pictureAt(targetOf(node));
    const words = node.alt ?? "";
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
  const plainText = (node: Text) => {
    const source = markdown.slice(startOf(node), endOf(node));
    let converted = source.replace(WIKI_LINK, (_, mark: string, target: string, words?: string) => {
      const url = mark ? pictureAt(target) : linkTo(target);
      const name = words || (mark ? nameIn(target) : target.replace(/#/g, ", "));
      if (url === null) lose("link to nothing in the book; its words stay", node);
      return url === null ? name : `${mark}[${name}](${destination(url)})`;
    });
    for (const [pattern, replacement] of PLAIN_MARKUP)
      converted = converted.replace(pattern, replacement);
    if (converted !== source)
      edits.push({ start: startOf(node), end: endOf(node), text: converted });
  };

  visit(tree, (node) => {
    if (node.type === "image" || node.type === "imageReference") picture(node);
    else if (node.type === "link" || node.type === "linkReference") relink(node);
    else if (node.type === "text") plainText(node);
    else if (node.type === "listItem" && typeof node.checked === "boolean") {
      const box = /\[[ xX]\]/.exec(markdown.slice(startOf(node), endOf(node)));
      const start = startOf(node) + (box?.index ?? 0);
      if (box) edits.push({ start, end: start + 3, text: node.checked ? "☑" : "☐" });
    }
  });
  return edited(markdown, edits).trim();
}

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
