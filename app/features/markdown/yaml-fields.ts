import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
} from "yaml";
import type { z } from "zod";

/** What is wrong with a file, and in which of its lines, counted from 1. */
export type FileProblem = { line: number; problem: string };

export type ParsedFields<Fields> =
  | { kind: "read"; fields: Fields }
  | { kind: "rejected"; problems: FileProblem[] };

/**
 * Parses YAML that begins on line `firstLine` of its file, and validates it. Reports all that is wrong with it, each
 * with the line of the field. YAML is data here: nothing in it refers to anything, and no tag makes an object.
 */
export function parseFields<Schema extends z.ZodType>(
  source: string,
  schema: Schema,
  firstLine = 1,
): ParsedFields<z.infer<Schema>> {
  const counter = new LineCounter();
  const lineAt = (offset: number) => counter.linePos(offset).line + firstLine - 1;
  let document: Document.Parsed;
  try {
    document = parseDocument(source, { lineCounter: counter });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return rejected([{ line: firstLine, problem: "the fields are nested too deeply" }]);
  }
  if (document.errors.length > 0) {
    return rejected(
      document.errors.map(({ pos, message }) => ({
        line: lineAt(pos[0]),
        problem: message.split(/ at line |:?\n/, 1)[0] ?? message,
      })),
    );
  }
  if (document.contents !== null && !isMap(document.contents)) {
    return rejected([{ line: firstLine, problem: "wanted fields, each on a line of its own" }]);
  }
  const aliases: FileProblem[] = [];
  visit(document, (_, node) => {
    if (!isAlias(node)) return;
    aliases.push({
      line: lineAt(node.range?.[0] ?? 0),
      problem: `*${node.source} has no meaning here`,
    });
  });
  if (aliases.length > 0) return rejected(aliases);
  const parsed = schema.safeParse(document.toJS() ?? {});
  if (parsed.success) return { kind: "read", fields: parsed.data };
  return rejected(
    parsed.error.issues.flatMap((issue) => {
      const paths =
        issue.code === "unrecognized_keys"
          ? issue.keys.map((key) => [...issue.path, key])
          : [issue.path];
      return paths.map((path) => {
        const { offset, isThere } = locate(document, path);
        const name = path.filter((part) => typeof part !== "number").join(": ");
        return {
          line: offset === null ? Math.max(1, firstLine - 1) : lineAt(offset),
          problem: `${name && `${name}: `}${isThere ? issue.message : "is missing"}`,
        };
      });
    }),
  );
}

/** Where a field begins, or else the nearest one around it; null for the document itself. */
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

function rejected(problems: FileProblem[]): { kind: "rejected"; problems: FileProblem[] } {
  return { kind: "rejected", problems };
}
