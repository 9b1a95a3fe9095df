/** How a check ended: all is well; it may be meant so, or could not be checked; something is broken. */
export type Level = "ok" | "warning" | "problem";

/** The result of one check. No text of it holds a secret or the address of a person. */
export type Finding = {
  /** The subject, such as `database`. */
  area: string;
  /** What was checked, in a word or two. */
  what: string;
  level: Level;
  /** A few words. */
  found: string;
  /** What to do, in one line; only for what is not well. */
  advice?: string;
};

/** A finding before it is known whose it is. */
export type AreaFinding = Omit<Finding, "area">;

/** All is well. */
export function ok(what: string, found: string): AreaFinding {
  return { what, level: "ok", found };
}

/** Possibly a mistake, or nothing that could be checked. */
export function warning(what: string, found: string, advice?: string): AreaFinding {
  return { what, level: "warning", found, ...(advice ? { advice } : {}) };
}

/** Broken. */
export function problem(what: string, found: string, advice: string): AreaFinding {
  return { what, level: "problem", found, advice };
}
