import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  parseDocument,
  visit,
} from "yaml";
import type { z } from "zod";

/** A mistake in a file, and its line, counted from 1. */
export type FileProblem = { line: number; problem: string };

/** Returns the line, counted from 1, on which a text first has some words; 1 if it has none of them. */
export const lineOf = (words: string, text: string) =>
  text.slice(0, Math.max(0, text.indexOf(words))).split("\n").length;

/** Maximum nesting of fields; the schemas use at most three levels. */
const MAX_DEPTH = 10;

/** Maximum number of mistakes reported at once. Each costs a search for its line. */
const MAX_PROBLEMS = 20;

const TOO_DEEP = "the fields are nested too deeply";

export type ParsedFields<Fields> =
  | { kind: "read"; fields: Fields }
  | { kind: "rejected"; problems: FileProblem[] };

/**
 * Parses and validates YAML of a few thousand characters that starts on line `firstLine` of its file. Reports up to
 * twenty mistakes, each with the line of the field. YAML is data here: it has no references, and no tag creates an
 * object.
 */
export function parseFields<Schema extends z.ZodType>(
  source: string,
  schema: Schema,
  firstLine = 1,
): ParsedFields<z.infer<Schema>> {
  const counter = new LineCounter();
  const lineAt = (offset: number) => counter.linePos(offset).line + firstLine - 1;
  if (isTooDeepToParse(source)) return rejected([{ line: firstLine, problem: TOO_DEEP }]);
  let document: Document.Parsed;
  try {
    document = parseDocument(source, { lineCounter: counter, prettyErrors: false });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return rejected([{ line: firstLine, problem: TOO_DEEP }]);
  }
  if (document.errors.length > 0) {
    return rejected(
      document.errors.slice(0, MAX_PROBLEMS).map(({ pos, message }) => ({
        line: lineAt(pos[0]),
        problem: message,
      })),
    );
  }
  if (document.contents !== null && !isMap(document.contents)) {
    return rejected([{ line: firstLine, problem: "wanted fields, each on a line of its own" }]);
  }
  const meaningless: FileProblem[] = [];
  visit(document, (_, node, path) => {
    const reject = (problem: string, { range }: { range?: readonly number[] | null }) => {
      meaningless.push({ line: lineAt(range?.[0] ?? 0), problem });
      return meaningless.length < MAX_PROBLEMS ? visit.SKIP : visit.BREAK;
    };
    if (isAlias(node)) return reject(`*${node.source} has no meaning here`, node);
    if (isPair(node) && isCollection(node.key)) return reject("wanted a field's name", node.key);
    if (isCollection(node) && path.length > 2 * MAX_DEPTH) return reject(TOO_DEEP, node);
  });
  if (meaningless.length > 0) return rejected(meaningless);
  const parsed = schema.safeParse(document.toJS() ?? {});
  if (parsed.success) return { kind: "read", fields: parsed.data };
  const paths = parsed.error.issues.flatMap((issue) => {
    const { code, path, message } = issue;
    if (code !== "unrecognized_keys") return [{ path, message }];
    return issue.keys.map((key) => ({ path: [...path, key], message }));
  });
  return rejected(
    paths.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
      const { offset, isThere } = locate(document, path);
      const name = path.filter((part) => typeof part !== "number").join(": ");
      return {
        line: offset === null ? Math.max(1, firstLine - 1) : lineAt(offset),
        problem: `${name && `${name}: `}${isThere ? message : "is missing"}`,
      };
    }),
  );
}

/**
 * Whether brackets, or lists and fields that start on one line, are nested too deeply to parse. Thousands of them
 * exhaust the stack. V8 ends the process if it must compile a regular expression with little stack left.
 */
function isTooDeepToParse(source: string): boolean {
  let brackets = 0;
  let begunOnLine = 0;
  for (const token of new Lexer().lex(source)) {
    if (token === "[" || token === "{") brackets += 1;
    else if (token === "]" || token === "}") brackets -= 1;
    else if (token.includes("\n")) begunOnLine = 0;
    // in brackets, fields on one line are siblings
    else if (brackets === 0 && ["-", "?", ":"].includes(token)) begunOnLine += 1;
    if (brackets > MAX_DEPTH || begunOnLine > MAX_DEPTH) return true;
  }
  return false;
}

/** Returns where a field starts, or else its nearest existing ancestor; null for the document itself. */
function locate(
  document: Document.Parsed,
  path: readonly PropertyKey[],
): { offset: number | null; isThere: boolean } {
  let node: unknown = document.contents;
  let offset: number | null = null;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => String(key) === String(part));
      if (!pair) return { offset, isThere: false };
      if (isScalar(pair.key) && pair.key.range) offset = pair.key.range[0];
      node = pair.value;
    } else if (isSeq(node)) {
      const item = node.items[Number(part)];
      if (item === undefined) return { offset, isThere: false };
      const start = (item as { range?: [number, number, number] | null }).range?.[0];
      if (start !== undefined) offset = start;
      node = item;
    } else {
      return { offset, isThere: false };
    }
  }
  return { offset, isThere: true };
}

/** Returns the result for fields with mistakes. */
export function rejected(problems: FileProblem[]): { kind: "rejected"; problems: FileProblem[] } {
  return { kind: "rejected", problems };
}
