import { z } from "zod";
import { type FileProblem, parseFields, rejected } from "./yaml-fields";

/** Maximum length of front matter in characters, many times what its fields need. Checking far more takes seconds. */
const MAX_LENGTH = 4_096;

const FENCE = /^---[ \t]*$/;

/** One line of text, without line breaks, control characters (unsafe in mail headers) and lone surrogates. */
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

/** Returns the problem with an unknown field, for the `error` option of a strict object. */
export const unknownField = (issue: { code?: string }) =>
  issue.code === "unrecognized_keys" ? "is not known here" : undefined;

export type SplitFile<FrontMatter> =
  | { kind: "read"; frontMatter: FrontMatter; body: string; bodyLine: number }
  | { kind: "rejected"; problems: FileProblem[] };

/**
 * Splits a file at the `---` lines around its YAML front matter and validates that. Reports all problems. Front matter
 * is data and never evaluated: there is no `---js`.
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
  const parsed = parseFields(source, schema, 2);
  if (parsed.kind === "rejected") return parsed;
  const body = lines.slice(end + 1).join("\n");
  return { kind: "read", frontMatter: parsed.fields, body, bodyLine: end + 2 };
}
