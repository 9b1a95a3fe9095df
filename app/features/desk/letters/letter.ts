/** A letter as its form has it. */
export type LetterFields = Record<"subject" | "slug" | "preview" | "body", string> & {
  premium: boolean;
};

/** Most characters of a field as typed, several times what an issue may have; three fit into a front matter. */
export const MAX_FIELD = 600;

/** A letter's name, also where no subject is typed yet. */
export const nameOf = ({ subject }: Pick<LetterFields, "subject">) => subject.trim() || "Untitled";
