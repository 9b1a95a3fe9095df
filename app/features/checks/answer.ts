/** "ok"; "warning" if it may be intended or could not be checked; "problem" if something is broken. */
export type Level = "ok" | "warning" | "problem";

/** The result of one check. Its texts contain no secret and no personal address. */
export type Answer = {
  /** What was checked, in a word or two. */
  what: string;
  level: Level;
  /** The result in a few words. */
  found: string;
  /** What to do, in one line. Absent if all is well. */
  advice?: string;
};

/** An answer with its area, such as `database`. */
export type Finding = Answer & { area: string };

/** A group of checks and its area, unless an answer names its own. A check that throws becomes a warning. */
export type Check = {
  area: string;
  ask: () => readonly (Answer | Finding)[] | Promise<readonly (Answer | Finding)[]>;
};

/** Returns an answer for something that works. */
export function ok(what: string, found: string): Answer {
  return { what, level: "ok", found };
}

/** Returns an answer for a possible mistake, or for something that could not be checked. */
export function warning(what: string, found: string, advice?: string): Answer {
  return { what, level: "warning", found, ...(advice ? { advice } : {}) };
}

/** Returns an answer for something broken. */
export function problem(what: string, found: string, advice?: string): Answer {
  return { ...warning(what, found, advice), level: "problem" };
}
