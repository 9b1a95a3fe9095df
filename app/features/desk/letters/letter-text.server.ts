import { stringify } from "yaml";
import { z } from "zod";
import { splitFrontMatter } from "~/features/markdown/front-matter";
import type { FileProblem } from "~/features/markdown/yaml-fields";
import { textOf } from "~/http/page-answer.server";
import type { FieldValue } from "~/http/request-body.server";
import { type LetterFields, MAX_FIELD } from "./letter";

/** The line on which the text begins in what `composeLetter` writes: after four fields between two lines `---`. */
export const BODY_LINE = 7;

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
export function typedLetter(fields: Readonly<Record<string, FieldValue>>): LetterFields {
  const line = (name: string) =>
    textOf(fields[name])
      .replace(/\p{Cc}+/gu, " ")
      .slice(0, MAX_FIELD);
  return {
    subject: line("subject"),
    slug: line("slug"),
    preview: line("preview"),
    premium: fields.premium === "on",
    body: textOf(fields.body).replace(/\r\n?/g, "\n").replaceAll("\0", ""),
  };
}

/** A problem of a composed file with its line in the text; null for one in a field, which it names. */
export const locateProblem = ({ line, problem }: FileProblem) => ({
  line: line < BODY_LINE ? null : line - BODY_LINE + 1,
  problem,
});
