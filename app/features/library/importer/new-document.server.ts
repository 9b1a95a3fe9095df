import { stringify } from "yaml";
import type { z } from "zod";
import { OperatorError } from "~db/operator-error";
import type { ExtraKind } from "~db/schema";
import type { NewFile } from "./content-folder.server";
import { chapterFrontMatter, extraFrontMatter } from "./document-front-matter";
import { listFolder } from "./edition-folder.server";
import { isText, readSource } from "./read-source.server";
import { slugFor, slugOf } from "./text-slug";

/** The kinds of extras in front matter. */
export const EXTRA_KINDS: readonly ExtraKind[] = extraFrontMatter.shape.kind.options;

type NewText = {
  title: string;
  /** Null for a chapter. */
  extraKind: ExtraKind | null;
  /** When members start to see it, as in front matter; null for immediately. */
  publish: string | null;
};

/**
 * Returns the file of a new chapter or extra, after the last one of its kind in the folder and among those that are `typed`.
 * Its text is empty; until it is written the edition cannot be imported. Throws an OperatorError if the title or day is invalid, or if the title's slug is taken.
 */
export async function planDocument(
  folder: string,
  { title, extraKind, publish }: NewText,
  typed: ReadonlyMap<string, string> = new Map(),
): Promise<NewFile> {
  const fields = chapterFrontMatter.shape;
  const readTitle = parse(fields.title, title, "The title");
  if (publish !== null) parse(fields.publish, publish, "--publish:");

  const files = (await listFolder(folder))?.files ?? [];
  const texts = [...new Set([...files, ...typed.keys()])].filter(isText);
  const kind = extraKind === null ? "chapter" : "extra";
  const order = await nextOrder(folder, texts, kind, typed);
  const slug = slugFor(readTitle) ?? `${extraKind ?? "chapter"}-${order}`;
  const other = texts.find((path) => slugOf(path) === slug);
  if (other !== undefined) {
    throw new OperatorError(`'${slug}' is the slug of ${other} already; choose another title.`);
  }
  const name =
    kind === "chapter"
      ? `chapters/${String(order).padStart(2, "0")}-${slug}.md`
      : `extras/${slug}.md`;
  const frontMatter = stringify(
    {
      title: readTitle,
      order,
      ...(extraKind === null ? {} : { kind: extraKind }),
      ...(publish === null ? {} : { publish }),
    },
    { lineWidth: 0 },
  );
  return { name, content: `---\n${frontMatter}---\n\n` };
}

/** Returns the last number plus one. A text with unreadable front matter counts by its file's number. */
async function nextOrder(
  folder: string,
  texts: readonly string[],
  kind: "chapter" | "extra",
  typed: ReadonlyMap<string, string>,
): Promise<number> {
  const ofKind = texts.filter((path) => path.startsWith(`${kind}s/`));
  const { documents } = await readSource(folder, ofKind, typed);
  const numbers = ofKind.map((path) => Number(/\/(\d{1,6})[-_][^/]*$/.exec(path)?.[1] ?? 0));
  return Math.max(0, ...documents.map(({ order }) => order), ...numbers) + 1;
}

function parse<Value>(schema: z.ZodType<Value>, value: string, what: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new OperatorError(`${what} ${parsed.error.issues[0]?.message}: '${value}'.`);
}
