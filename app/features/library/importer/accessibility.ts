import type { Nodes, Root } from "mdast";
import { visit } from "unist-util-visit";
import type { EditionSource } from "./read-source.server";

const FILE_NAME = /\.(?:png|jpe?g|gif|webp|avif)$|^(?:image|picture|photo|img|dsc)[\s_-]*\d*$/i;
const EMPTY_LINK = /^(?:click )?(?:here|more|link|read more)$/i;

/** Finds what a program can see to keep people from reading a text, by WCAG 2.2. Lines are the tree's. */
export function barriersIn(tree: Root): { line: number; problem: string }[] {
  const found: { line: number; problem: string }[] = [];
  visit(tree, (node) => {
    const problem = barrierOf(node);
    if (problem) found.push({ line: node.position?.start.line ?? 1, problem });
  });
  return found;
}

function barrierOf(node: Nodes): string | null {
  if (node.type === "image" && FILE_NAME.test(node.alt?.trim() ?? "")) {
    return `'${node.alt}' does not describe a picture (WCAG 1.1.1)`;
  }
  if (node.type === "table" && node.children[0]?.children.some((cell) => wordsOf(cell) === "")) {
    return "a column of this table has no name in the first row (WCAG 1.3.1)";
  }
  if (node.type === "heading" && wordsOf(node) === "")
    return "this heading has no words (WCAG 2.4.6)";
  if (node.type === "link" && EMPTY_LINK.test(wordsOf(node))) {
    return `the link '${wordsOf(node)}' does not say where it leads (WCAG 2.4.4)`;
  }
  return null;
}

function wordsOf(node: Nodes): string {
  const words: string[] = [];
  visit(node, (part) => {
    if ("value" in part) words.push(part.value);
    if (part.type === "image") words.push(part.alt ?? "");
  });
  return words.join("").trim();
}

/**
 * Says what is true of an edition's e-book without a check, and what a person has to look at before `site.yml` names
 * who checked it: https://www.w3.org/TR/epub-a11y-11/
 */
export function accessibilityReport({ site, documents, media }: EditionSource): string[] {
  const moving = [...media.values()].filter(({ mediaType }) => /gif|webp/.test(mediaType));
  const sounds = documents.filter(({ audio }) => audio !== null);
  const looks = [
    "Does each picture's description say what the picture shows? (WCAG 1.1.1)",
    "Are pictures free of words, and does no sentence rely on color or position alone? (1.3.3, 1.4.1, 1.4.5)",
    sounds.length > 0 && `Do the texts of the ${sounds.length} sounds say what is heard? (1.2.1)`,
    moving.length > 0 &&
      `Does none of these move for more than five seconds, or flash? ${moving.map(({ path }) => path).join(", ")} (2.2.2, 2.3.1)`,
    "Do headings and links describe what they lead to? (2.4.4, 2.4.6)",
    `Is each text in its own language, without long passages in another? (3.1.1, 3.1.2; the book's is '${site?.language ?? "?"}')`,
    "Does it read well in an e-reader, with a screen reader, and with the largest letters? (1.4.4, 1.4.10)",
  ].filter((look) => look !== false);
  return [
    "E-book: pictures have descriptions, headings nest, languages are named, colors have contrast. Notes name what's missing.",
    site?.ebook.checkedBy
      ? `It claims EPUB Accessibility 1.1 and WCAG 2.2 AA, checked by ${site.ebook.checkedBy}, who has to look at:`
      : "It claims no standard. Before you name in site.yml who checked it, that person has to look at:",
    ...looks.map((look) => `- ${look}`),
  ];
}
