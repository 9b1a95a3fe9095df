import type { Nodes, Root } from "mdast";
import type { FileProblem } from "./yaml-fields";

/** Lines, and characters that may begin or end something: time for parsing grows by the square of both. */
const MAX_LINES = 5_000;
const MAX_MARKS = 5_000;

/** Brackets that are open at once within a paragraph. */
const MAX_OPEN_BRACKETS = 100;

/** Quotes and lists in each other, and columns that a list is indented by. */
const MAX_NESTING = 20;
const MAX_INDENTATION = 100;

/** Parts of a text: paragraphs, words in bold, links and so on. */
const MAX_PARTS = 10_000;

const MARK = /[*_~[\]`|]/g;
const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))+/;
const CONTAINER = />|[-+*]|\d{1,9}[.)]/g;
const INDENTED_LIST = /^([ \t]+)(?:[-+*]|\d{1,9}[.)])[ \t]/;

const tooDeep = `quotes or lists are nested more than ${MAX_NESTING} times`;

/**
 * What in a text would take a parser minutes, or overflow its stack; null if nothing would. Checked before parsing: no
 * real text has it, and parsing it would block the process for all other visitors.
 */
export function unparsablePart(text: string): FileProblem | null {
  const lines = text.split("\n");
  if (lines.length > MAX_LINES) {
    return { line: MAX_LINES + 1, problem: `there are more than ${MAX_LINES} lines` };
  }
  let marks = 0;
  let brackets = 0;
  for (const [index, line] of lines.entries()) {
    const containers = CONTAINERS.exec(line)?.[0].match(CONTAINER)?.length ?? 0;
    const indentation = INDENTED_LIST.exec(line)?.[1]?.length ?? 0;
    if (containers > MAX_NESTING || indentation > MAX_INDENTATION) {
      return { line: index + 1, problem: tooDeep };
    }
    if (line.trim() === "") brackets = 0;
    for (const [bracket] of line.matchAll(/[[\]]/g)) {
      brackets = Math.max(0, brackets + (bracket === "[" ? 1 : -1));
      if (brackets > MAX_OPEN_BRACKETS) {
        return { line: index + 1, problem: `more than ${MAX_OPEN_BRACKETS} brackets are open` };
      }
    }
    marks += line.match(MARK)?.length ?? 0;
    if (marks > MAX_MARKS) {
      return { line: index + 1, problem: `there are more than ${MAX_MARKS} of the marks *_~[]\`|` };
    }
  }
  return null;
}

/** Reports a parsed text that is nested too deeply, or has too many parts, to be rendered; null for any other. */
export function unrenderablePart(tree: Root): FileProblem | null {
  let parts = 0;
  // no recursion, since the depth is what is in question
  const open: { node: Nodes; depth: number }[] = [{ node: tree, depth: 0 }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next;
    const line = node.position?.start.line ?? 1;
    // a list and its item are two levels
    if (depth > 2 * MAX_NESTING + 10) return { line, problem: tooDeep };
    if (++parts > MAX_PARTS) return { line, problem: `there are more than ${MAX_PARTS} parts` };
    if (!("children" in node)) continue;
    for (const child of node.children) open.push({ node: child, depth: depth + 1 });
  }
  return null;
}
