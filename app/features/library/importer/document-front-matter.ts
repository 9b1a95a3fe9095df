import { z } from "zod";
import { oneLine, unknownField } from "~/features/markdown/front-matter";
import { direction, languageTag } from "~/features/site/site-file";
import { NEVER } from "../draft";
import { MAX_SLUG, SLUG } from "./text-slug";

export const MAX_TITLE = 120;
export const MAX_SUMMARY = 300;
const MAX_LABEL = 40;

/** A day in UTC, or a time with its zone. */
const PUBLISH = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2}))?$/;

const WANTED_TIME =
  "wanted a day, as in 2026-12-01, a time with its zone, as in 2026-12-01T08:00-05:00, or draft";

const time = z
  .string(WANTED_TIME)
  .regex(PUBLISH, WANTED_TIME)
  .refine((text) => isDay(text.slice(0, 10)), "there is no such day")
  .transform((text) => new Date(text.replace(" ", "T")))
  .refine((date) => !Number.isNaN(date.getTime()), "there is no such time");

const publish = z.union([z.literal("draft").transform(() => NEVER), time], {
  error: ({ input }) => time.safeParse(input).error?.issues[0]?.message,
});

/** Rejects days such as February 31, which JavaScript reads as March 3. */
function isDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

const fields = {
  id: oneLine(MAX_SLUG)
    .regex(SLUG, "wanted lower-case letters, digits and single hyphens")
    .optional(),
  title: oneLine(MAX_TITLE),
  summary: oneLine(MAX_SUMMARY).optional(),
  order: z
    .int("wanted a whole number, as in 3")
    .min(0, "wanted 0 or more")
    .max(1_000_000, "is too large"),
  publish: publish.optional(),
  audio: oneLine(200).optional(),
  language: languageTag.optional(),
  dir: direction.optional(),
};

/** Schema of a chapter's front matter. */
export const chapterFrontMatter = z.strictObject(
  {
    ...fields,
    public: z.boolean("wanted true or false").default(false),
    part: z.union([z.literal(""), oneLine(MAX_TITLE)]).optional(),
    label: oneLine(MAX_LABEL).optional(),
  },
  { error: unknownField },
);

/** Schema of an extra's front matter. */
export const extraFrontMatter = z.strictObject(
  {
    ...fields,
    kind: z.enum(
      ["audio-walk", "notebook-page", "practice"],
      "wanted audio-walk, notebook-page or practice",
    ),
  },
  { error: unknownField },
);
