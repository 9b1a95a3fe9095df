import type { Element, ElementContent, Root } from "hast";
import { fromHtml } from "hast-util-from-html";
import type { Nodes } from "mdast";
import rehypeRemark from "rehype-remark";
import remarkGfm from "remark-gfm";
import remarkStringify from "remark-stringify";
import { unified } from "unified";
import { visit } from "unist-util-visit";

/** A footnote or endnote as Word's converter marks it. */
const NOTE = /^#?((?:foot|end)note)-(ref-)?(.+)$/;

const noteOf = (value: unknown) => {
  const [, kind, ref, number] = NOTE.exec(String(value ?? "")) ?? [];
  return kind === undefined ? null : { id: `${kind}-${number}`, isReference: ref !== undefined };
};

/** Keeps a tag that editions take. Word's converter puts references to notes in `<sup>`. */
const keepTag =
  (name: string) =>
  (state: { all(node: Element): Nodes[] }, node: Element): Nodes[] => {
    const noteIn = (child: ElementContent) => {
      const note = child.type === "element" ? noteOf(child.properties.href) : null;
      return note?.isReference ? null : note;
    };
    const children = node.children.filter((child) => !noteIn(child));
    const kept = state.all({ ...node, children });
    return [
      ...node.children.flatMap((child): Nodes[] => {
        const id = noteIn(child)?.id;
        return id === undefined ? [] : [{ type: "footnoteReference", identifier: id, label: id }];
      }),
      ...(kept.length === 0
        ? []
        : ([
            { type: "html", value: `<${name}>` },
            ...kept,
            { type: "html", value: `</${name}>` },
          ] satisfies Nodes[])),
    ];
  };

const converter = unified()
  .use(rehypeRemark, {
    handlers: {
      sub: keepTag("sub"),
      sup: keepTag("sup"),
      kbd: keepTag("kbd"),
    },
  })
  .use(remarkGfm)
  .use(remarkStringify, { bullet: "-", emphasis: "*", rule: "*", resourceLink: true });

/** Converts HTML to Markdown. Notes that Word's converter marked become footnotes. `onElement` gets each element. */
export function htmlToMarkdown(html: string, onElement?: (name: string) => void): string {
  const tree = fromHtml(html, { fragment: true });
  visit(tree, "element", ({ tagName }) => onElement?.(tagName));
  const notes = takeNotes(tree);
  const markdown = [tree, ...notes.map(({ content }) => content)].map((part) =>
    converter.stringify(converter.runSync(part) as never).trim(),
  );
  const [text = "", ...contents] = markdown;
  const definitions = contents.map(
    (content, index) => `[^${notes[index]?.id}]: ${content.replaceAll("\n", "\n    ")}`,
  );
  return [text, ...definitions].join("\n\n");
}

/** Removes the lists of notes from a tree, and returns the notes. */
function takeNotes(tree: Root): { id: string; content: Root }[] {
  const notes: { id: string; content: Root }[] = [];
  visit(tree, "element", (element, index, parent) => {
    if (element.tagName !== "li" || !parent || index === undefined) return;
    const note = noteOf(element.properties.id);
    if (!note) return;
    visit(element, "element", (link, at, paragraph) => {
      // the way back to the text
      if (!noteOf(link.properties.href)?.isReference || !paragraph || at === undefined) return;
      paragraph.children.splice(at, 1);
    });
    notes.push({ id: note.id, content: { type: "root", children: element.children } });
    element.children = [];
  });
  if (notes.length > 0) {
    tree.children = tree.children.filter(
      (child) => child.type !== "element" || child.tagName !== "ol" || hasWords(child),
    );
  }
  return notes;
}

function hasWords(element: Element): boolean {
  let found = false;
  visit(element, "text", ({ value }) => {
    found ||= value.trim() !== "";
  });
  return found;
}
