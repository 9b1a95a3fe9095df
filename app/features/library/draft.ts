/** When a draft is published: later than any other text. */
export const NEVER = new Date("9999-12-31T00:00:00Z");

/** Whether a text is a draft, which only its author sees. */
export const isDraft = ({ publishAt }: { publishAt: Date | null }) =>
  publishAt !== null && publishAt >= NEVER;
