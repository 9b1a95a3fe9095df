import type { Nodes, Root, Table } from "mdast";
import { SKIP, visit } from "unist-util-visit";
import type { FileProblem } from "./yaml-fields";

/**
 * What authors write for Pandoc, Obsidian, LaTeX and others, or with a slip, and what to write here instead. No rule
 * may match ordinary prose, such as `f**k`, `$5`, `Name: ____` or `#hashtag`.
 */
const RULES: readonly [pattern: RegExp, advice: string][] = [
  [/!?\[\[[^\]\n]+\]\]/, "write ![description](file) for an image, and [words](file) for a link"],
  [
    /!?\[[^[\]\n]*\]\([^()\n]*\)/,
    "put an address with spaces into <>, as in ![A gate](<my photo.jpg>)",
  ],
  [/\[[^[\]\n]+\] +\((?:https?:|mailto:|\/)[^()\s]+\)/, "write no space between ] and ("],
  [/\([^()\n]+\)\[(?:https?:|mailto:|\/)[^[\]\s]+\]/, "write [words](address)"],
  [
    /!?\[[^[\]\n]+\]\[[^[\]\n]*\]/,
    "write [words](address), or add the line that the second brackets name",
  ],
  [/\^\[[^\]\n]+\]/, "write the note as text, or [^1] here and a line [^1]: with the note"],
  [
    /\[\^[^\]\n]*\]:?/,
    "name a footnote without spaces, as in [^1], and add a line [^1]: with the note",
  ],
  [/\[![a-z]+\][-+]?/i, "write a quotation without it"],
  [/\[-?@[\w:.-]+[^\]\n]*\]/, "write the source as text"],
  [/^[\s>]*\[[^[\]\n]+\]: +\S+ .*/m, "put an address with spaces into <>"],
  [/\{:?\s*(?:[#.][\w-][^{}\n]*|[\w-]+=[^{}\n]*)\}/, "leave it out"],
  [/\{\{[<%].*?[%>]\}\}|\{%.*?%\}/, "leave it out"],
  [/^[\s>]*:::.*/m, "leave out these lines, or begin the lines between them with >"],
  [/^[\s>]*: +\S.*/m, "write a list"],
  [
    /^(?:[\s>]*\|.*\|[ \t]*(?:\n|$))+/m,
    "write a table's second line as | --- | --- |, with as many cells as the first",
  ],
  [/^[\s>]*#{2,6}[^\s#].*/m, "write a space after the #"],
  [/(?<![\w*_~])(?:\*\*|__|~~)(?=[^\s*_~]).*/, "write the same marks at the end, beside a letter"],
  [/(?<!\*)\*\* [^*\n]+\*\*(?!\*)/, "write no space within the marks"],
  [/(?<![\w=])==[^\s=](?:[^=\n]*[^\s=])?==(?![\w=])/, "write **…** to stress something"],
  [/%%[^%]+%%/, "write a comment as <!-- … -->"],
  [/(?<![\w:]):[a-z]+(?:_[a-z]+)*:(?![\w:])/, "write the emoji itself"],
  [/\$\$[^$]+\$\$|\$[^$\n]*[\\^_{][^$\n]*\$/, "write the formula as text or as an image"],
  [
    /(?<![\w\\:])\\(?:(?:new|clear)?page(?:break)?|newline|noindent|[vh]space|(?:text|foot|end)?(?:bf|it|note)|emph|chapter|(?:sub)*section|begin|end|cite|ref|label)(?![a-z])(?:\{[^}\n]*\})*/,
    "leave it out; a line of *** is a break",
  ],
];

/** Nodes of phrasing, and those in them that are not shown as they are written. */
const PHRASING = ["paragraph", "heading", "tableCell"];
const PARSED = [
  "inlineCode",
  "html",
  "image",
  "imageReference",
  "linkReference",
  "footnoteReference",
];

/**
 * Finds what a text shows as its characters although it was probably meant as markup, and cells of tables that are not
 * shown. Code, and what follows a backslash, is meant. `tree` is that of `source`.
 */
export function unparsedMarkup(tree: Root, source: string): FileProblem[] {
  const problems: FileProblem[] = [];
  visit(tree, (node) => {
    if (node.type === "table") problems.push(...rowsTooLong(node));
    if (!PHRASING.includes(node.type) || !node.position) return undefined;
    const { start } = node.position;
    const shown = compact(wordsOf(node));
    let rest = withoutParsed(node, source);
    for (const [pattern, advice] of RULES) {
      for (const match of [...rest.matchAll(new RegExp(pattern, `${pattern.flags}g`))]) {
        const found = match[0].replace(/^[\s>]+/, "").trimEnd();
        if (!shown.includes(compact(found))) continue;
        const at = match.index + match[0].indexOf(found);
        const line = start.line + rest.slice(0, at).split("\n").length - 1;
        problems.push({
          line,
          problem: `'${excerpt(found)}' is shown as it stands; ${advice}, or \\ before it if it is meant`,
        });
        // one mistake is named once
        rest =
          rest.slice(0, match.index) + blank(match[0]) + rest.slice(match.index + match[0].length);
      }
    }
    return SKIP;
  });
  return problems;
}

/** Finds the rows of a table that have more cells than its first one. The others are not shown. */
function rowsTooLong({ children: rows }: Table): FileProblem[] {
  const columns = rows[0]?.children.length ?? 0;
  return rows
    .filter(({ children }) => children.length > columns)
    .map(({ position }) => ({
      line: position?.start.line ?? 1,
      problem: `the table's row has more than ${columns} cells; write \\| for a | within one`,
    }));
}

/** Returns the plain text of a node. */
export function wordsOf(node: Nodes): string {
  let words = "";
  visit(node, (part) => {
    if (part.type === "text" || part.type === "inlineCode") words += part.value;
    if (part.type === "break") words += " ";
  });
  return words;
}

const compact = (text: string) => text.replace(/\s+/g, "");

const excerpt = (text: string) => text.replace(/(?<=^.{59}).+|\n.*/s, "…");

const blank = (text: string) => text.replace(/[^\n]/g, " ");

/** Returns a node's source with spaces in place of what was parsed, and of characters after a backslash. */
function withoutParsed(node: Nodes, source: string): string {
  const from = node.position?.start.offset ?? 0;
  let text = source.slice(from, node.position?.end.offset);
  const clear = (start = from, end = from) => {
    text =
      text.slice(0, start - from) +
      blank(text.slice(start - from, end - from)) +
      text.slice(end - from);
  };
  visit(node, (part) => {
    const { start, end } = part.position ?? {};
    // a bare address is a link as well, even one within brackets that did not become a link
    const isLink = part.type === "link" && /^[[<]/.test(source.slice(start?.offset, end?.offset));
    if (isLink || PARSED.includes(part.type)) {
      clear(start?.offset, end?.offset);
    } else if (part.type === "emphasis" || part.type === "strong" || part.type === "delete") {
      clear(start?.offset, part.children[0]?.position?.start.offset);
      clear(part.children.at(-1)?.position?.end.offset, end?.offset);
    }
  });
  return text.replace(/\\[!-/:-@[-`{-~]/g, "  ");
}
