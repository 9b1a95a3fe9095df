import type { FormProblem } from "~/http/form-refusal";

/** A letter as its form has it. */
export type LetterFields = Record<"subject" | "slug" | "preview" | "body", string> & {
  premium: boolean;
};

/** Most characters of a field as typed, several times what an issue may have; three fit into a front matter. */
export const MAX_FIELD = 600;

/** What has to be mended before a letter can be sent: in a field, or at a line of the text, counted from 1, or neither. */
export type LetterProblem = FormProblem & { field: keyof LetterFields | null };

/** A draft as its page shows it. */
export type Letter = {
  id: string;
  /** Counts the saves. */
  version: number;
  /** An ISO 8601 instant. */
  savedAt: string;
  /** The address of who saved it last; null if the account is gone. */
  savedBy: string | null;
  fields: LetterFields;
  problems: LetterProblem[];
  /** What does not prevent sending. */
  warnings: string[];
  pictures: { name: string; kilobytes: number }[];
};

/** A letter's name, also where no subject is typed yet. */
export const nameOf = ({ subject }: Pick<LetterFields, "subject">) => subject.trim() || "Untitled";
