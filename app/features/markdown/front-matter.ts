import { isMap, isScalar, LineCounter, parseDocument } from "yaml";
import { z } from "zod";

/** Characters of front matter, many times what its fields need; checking far more would take seconds. */
const MAX_LENGTH = 4_096;

const FENCE = /^---[ \t]*$/;

/**
 * One line of text. Line breaks and control characters have no place in a mail's header, nor
 * halves of characters anywhere.
 */
export const oneLine = (max: number) =>
  z
    .string("wanted text; put it in quotes")
    .trim()
    .min(1, "is empty")
    .max(max, `has more than ${max} characters`)
    .regex(
      /^[^\p{Cc}\p{Cs}\u2028\u2029\ufffe\uffff]*$/u,
      "has a line break or control character in it",
    );

/** What is wrong with a field that no schema knows, for the `error` option of a strict object. */
export const unknownField = (issue: { code?: string }) =>
  issue.code === "unrecognized_keys" ? "is not known here" : undefined;

/** What is wrong with a file, and in which of its lines, counted from 1. */
export type FileProblem = { line: number; problem: string };

export type SplitFile<FrontMatter> =
  | { kind: "read"; frontMatter: FrontMatter; body: string; bodyLine: number }
  | { kind: "rejected"; problems: FileProblem[] };

/**
 * Splits a file at the `---` lines around its YAML front matter and validates that. Reports all that is wrong
 * with it. The front matter is data, never evaluated: there is no `---js`.
 */
export function splitFrontMatter<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): SplitFile<z.infer<Schema>> {
  const lines = text.split("\n");
  const end = lines.findIndex((line, index) => index > 0 && FENCE.test(line));
  if (!FENCE.test(lines[0] ?? "") || end === -1) {
    const problem =
      "wanted front matter: a line '---', then its fields, such as title, then another line '---'";
    return rejected([{ line: 1, problem }]);
  }
  const source = lines.slice(1, end).join("\n");
  if (source.length > MAX_LENGTH) {
    return rejected([
      { line: 1, problem: `the front matter has more than ${MAX_LENGTH} characters` },
    ]);
  }
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter });
  const lineAt = (offset: number) => counter.linePos(offset).line + 1;
  if (document.errors.length > 0) {
    return rejected(
      document.errors.map(({ pos, message }) => ({
        line: lineAt(pos[0]),
        problem: message.split(/ at line |:?\n/, 1)[0] ?? message,
      })),
    );
  }
  const pairs = isMap(document.contents) ? document.contents.items : [];
  const parsed = schema.safeParse(
    // only plain values, so that nothing refers to anything
    Object.fromEntries(
      pairs.map(({ key, value }) => [String(key), isScalar(value) ? value.value : null]),
    ),
  );
  if (parsed.success) {
    const body = lines.slice(end + 1).join("\n");
    return { kind: "read", frontMatter: parsed.data, body, bodyLine: end + 2 };
  }
  const lineOf = (key: string) => {
    const found = pairs.find((pair) => String(pair.key) === key)?.key;
    return isScalar(found) && found.range ? lineAt(found.range[0]) : 1;
  };
  return rejected(
    parsed.error.issues.flatMap((issue) => {
      const keys = issue.code === "unrecognized_keys" ? issue.keys : issue.path.map(String);
      return keys.map((key) => ({
        line: lineOf(key),
        problem: `${key}: ${pairs.some((pair) => String(pair.key) === key) ? issue.message : "is missing"}`,
      }));
    }),
  );
}

function rejected(problems: FileProblem[]): { kind: "rejected"; problems: FileProblem[] } {
  return { kind: "rejected", problems };
}
