import { z } from "zod";
import { oneLine, unknownField } from "~/features/markdown/front-matter";

/** Paths below /newsletter/ that are not an issue's. */
const RESERVED_SLUGS = ["archive", "confirm", "feed", "images", "unsubscribe"];

/** Up to this many characters of each; mail programs cut longer ones off. */
const MAX_SUBJECT = 120;
const MAX_PREVIEW = 150;
const MAX_SLUG = 80;

/** What an issue says about itself ahead of its text. */
export const issueFrontMatter = z.strictObject(
  {
    subject: oneLine(MAX_SUBJECT),
    slug: z
      .string("wanted text; put it in quotes")
      .max(MAX_SLUG, `has more than ${MAX_SLUG} characters`)
      .regex(
        /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
        "wanted lower-case letters, digits and single hyphens, as in 'the-first-mile'",
      )
      .refine(
        (slug) => !RESERVED_SLUGS.includes(slug),
        `is the address of another page; so are ${RESERVED_SLUGS.join(", ")}`,
      ),
    preview: oneLine(MAX_PREVIEW),
    premium: z.boolean("wanted true or false").default(false),
  },
  { error: unknownField },
);

export type IssueFrontMatter = z.infer<typeof issueFrontMatter>;
