/** A mistake in what was typed; `line` is null where it is in no line. */
export type FormProblem = { line: number | null; problem: string };

/** Why the form of a page was refused, and what was typed, which its page shows again. */
export type FormRefusal = {
  message: string;
  problems?: FormProblem[];
  typed?: Record<string, string>;
};
