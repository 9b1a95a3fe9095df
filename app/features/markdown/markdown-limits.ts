import type { Nodes, Root } from "mdast";
import type { FileProblem } from "./yaml-fields";

/** Maximum lines, and maximum characters that may begin or end something. Parsing time is quadratic in both. */
const MAX_LINES = 5_000;
const MAX_MARKS = 5_000;

/** Maximum brackets open at once within a paragraph. */
const MAX_OPEN_BRACKETS = 100;

/** Maximum nesting of quotes and lists, and maximum columns of a list's indentation. */
const MAX_NESTING = 20;
const MAX_INDENTATION = 100;

/** Maximum nodes of a text: paragraphs, bold words, links and so on. */
const MAX_PARTS = 10_000;

const MARK = /[*_~[\]`|]/g;
const CONTAINERS = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))+/;
const CONTAINER = />|[-+*]|\d{1,9}[.)]/g;
const INDENTED_LIST = /^([ \t]+)(?:[-+*]|\d{1,9}[.)])[ \t]/;

const tooDeep = `quotes or lists are nested more than ${MAX_NESTING} times`;

/**
 * Returns the part of a text that would take a parser minutes, or overflow its stack; null if there is none. Check
 * before parsing, which would block the process for all visitors. No real text has such a part.
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

/** Returns a problem if a parsed text is nested too deeply, or has too many nodes, to be rendered; otherwise null. */
export function unrenderablePart(tree: Root): FileProblem | null {
  let parts = 0;
  // no recursion, since the depth may be excessive
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
