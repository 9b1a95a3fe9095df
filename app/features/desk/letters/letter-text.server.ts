import { stringify } from "yaml";
import { z } from "zod";
import { splitFrontMatter } from "~/features/markdown/front-matter";
import type { FileProblem } from "~/features/markdown/yaml-fields";
import { type LetterFields, type LetterProblem, MAX_FIELD } from "./letter";

/** The fields on the lines of the front matter that `composeLetter` writes, between its two lines `---`. */
const FIELD_LINES = [null, "subject", "slug", "preview", "premium"] as const;

/** The line on which the text begins in what `composeLetter` writes. */
export const BODY_LINE = FIELD_LINES.length + 2;

const typed = z.union([z.string(), z.number().transform(String)]).catch("");
const anyFrontMatter = z.looseObject({
  subject: typed,
  slug: typed,
  preview: typed,
  premium: z.boolean().catch(false),
});

/** Writes a letter as the file that the commands read, whatever was typed. */
export function composeLetter({ body, subject, slug, preview, premium }: LetterFields): string {
  const frontMatter = stringify(
    { subject, slug, preview, premium },
    { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN", lineWidth: 0 },
  );
  return `---\n${frontMatter}---\n${body}`;
}

/** Reads a letter's file with all its mistakes. Front matter that cannot be read is left in the text. */
export function parseLetter(content: string): LetterFields {
  const split = splitFrontMatter(content, anyFrontMatter);
  if (split.kind === "rejected") return typedLetter({ body: content });
  const { subject, slug, preview, premium } = split.frontMatter;
  return { subject, slug, preview, premium, body: split.body };
}

/** The letter in a form's fields. PostgreSQL cannot store NUL. */
export function typedLetter(fields: Record<string, unknown>): LetterFields {
  const textOf = (name: string) => String(fields[name] ?? "");
  const line = (name: string) =>
    textOf(name)
      .replace(/\p{Cc}+/gu, " ")
      .slice(0, MAX_FIELD);
  return {
    subject: line("subject"),
    slug: line("slug"),
    preview: line("preview"),
    premium: fields.premium === "on",
    body: textOf("body").replace(/\r\n?/g, "\n").replaceAll("\0", ""),
  };
}

/** Says where in the form a problem of a composed file is. */
export function locateProblem({ line, problem }: FileProblem): LetterProblem {
  const field = FIELD_LINES[line - 1] ?? null;
  return { field, line: line < BODY_LINE ? null : line - BODY_LINE + 1, problem };
}
