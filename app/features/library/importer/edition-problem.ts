/** A mistake in an edition's folder. */
export type EditionProblem = {
  /** Relative to the folder. */
  file: string;
  /** Counted from 1; null if it concerns the whole file. */
  line: number | null;
  problem: string;
};

/** Formats a problem as one line, such as `chapters/03-gates.md:12: there is no such file`. */
export function describeProblem({ file, line, problem }: EditionProblem): string {
  return `${file}${line === null ? "" : `:${line}`}: ${problem}`;
}

/** Thrown for a folder whose edition cannot be imported; lists all problems. */
export class BrokenEdition extends Error {
  constructor(readonly problems: readonly EditionProblem[]) {
    super(problems.map(describeProblem).join("\n"));
    this.name = "BrokenEdition";
  }
}
