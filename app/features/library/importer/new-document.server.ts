import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import slugify from "@sindresorhus/slugify";
import { stringify } from "yaml";
import type { z } from "zod";
import { OperatorError } from "~db/operator-error";
import type { ExtraKind } from "~db/schema";
import { chapterFrontMatter, extraFrontMatter } from "./document-front-matter";
import { listFolder } from "./edition-folder.server";
import { isText, MAX_SLUG, readSource, slugOf } from "./read-source.server";

/** The kinds of extras, as front matter has them. */
export const EXTRA_KINDS: readonly ExtraKind[] = extraFrontMatter.shape.kind.options;

type NewText = {
  title: string;
  /** Null for a chapter. */
  extraKind: ExtraKind | null;
  /** From when members see it, as front matter has it; null for at once. */
  publish: string | null;
};

/**
 * Creates the file of a new chapter or extra in an edition's folder, after the last one of its kind, and returns its
 * path. Its summary and its text are empty, so that no edition with it is imported before they are written. Throws an
 * OperatorError if the title or the day is invalid, or a text already has the slug made of the title.
 */
export async function createDocument(
  folder: string,
  { title, extraKind, publish }: NewText,
): Promise<string> {
  const fields = chapterFrontMatter.shape;
  const readTitle = parse(fields.title, title, "The title");
  if (publish !== null) parse(fields.publish, publish, "--publish:");

  const files = (await listFolder(folder))?.files ?? [];
  const texts = files.filter(isText);
  const kind = extraKind === null ? "chapter" : "extra";
  const order = await nextOrder(folder, texts, kind);
  const slug = slugFor(readTitle) ?? `${extraKind ?? "chapter"}-${order}`;
  const other = texts.find((path) => slugOf(path).toLowerCase() === slug);
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
      summary: "",
      order,
      ...(extraKind === null ? {} : { kind: extraKind }),
      ...(publish === null ? {} : { publish }),
    },
    { lineWidth: 0 },
  );
  const path = join(folder, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `---\n${frontMatter}---\n\n`, { flag: "wx" });
  return path;
}

/** One more than the last one's; a text whose front matter cannot be read counts by its file's number. */
async function nextOrder(
  folder: string,
  texts: readonly string[],
  kind: "chapter" | "extra",
): Promise<number> {
  const ofKind = texts.filter((path) => path.startsWith(`${kind}s/`));
  const { documents } = await readSource(folder, ofKind);
  const numbers = ofKind.map((path) => Number(/\/(\d{1,6})[-_][^/]*$/.exec(path)?.[1] ?? 0));
  return Math.max(0, ...documents.map(({ order }) => order), ...numbers) + 1;
}

/** A title in lower-case ASCII letters, digits and hyphens, cut between words; null if nothing is left of it. */
function slugFor(title: string): string | null {
  const slug = slugify(title, { decamelize: false });
  if (slug.length <= MAX_SLUG) return slug || null;
  const cut = slug.slice(0, MAX_SLUG + 1);
  const end = cut.lastIndexOf("-");
  return cut.slice(0, end > 0 ? end : MAX_SLUG);
}

function parse<Value>(schema: z.ZodType<Value>, value: string, what: string): Value {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new OperatorError(`${what} ${parsed.error.issues[0]?.message}: '${value}'.`);
}
