/** How a question was answered: all is well; it may be meant so, or could not be found out; something is broken. */
export type Level = "ok" | "warning" | "problem";

/** The answer to one question about the site. No text of it holds a secret or the address of a person. */
export type Answer = {
  /** What was asked about, in a word or two. */
  what: string;
  level: Level;
  /** A few words. */
  found: string;
  /** What to do, in one line; only for what is not well. */
  advice?: string;
};

/** An answer with its subject, such as `database`. */
export type Finding = Answer & { area: string };

/** A check: its subject, unless an answer has its own, and the questions it asks. One that throws becomes a warning. */
export type Check = {
  area: string;
  ask: () => readonly (Answer | Finding)[] | Promise<readonly (Answer | Finding)[]>;
};

/** All is well. */
export function ok(what: string, found: string): Answer {
  return { what, level: "ok", found };
}

/** Possibly a mistake, or nothing that could be found out. */
export function warning(what: string, found: string, advice?: string): Answer {
  return { what, level: "warning", found, ...(advice ? { advice } : {}) };
}

/** Broken. */
export function problem(what: string, found: string, advice?: string): Answer {
  return { ...warning(what, found, advice), level: "problem" };
}
