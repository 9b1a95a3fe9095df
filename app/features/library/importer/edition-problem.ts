/** A mistake in an edition's folder. */
export type EditionProblem = {
  /** Relative to the folder. */
  file: string;
  /** Counted from 1; null if it is about the file as a whole. */
  line: number | null;
  problem: string;
};

/** A problem as one line, such as `chapters/03-gates.md:12: there is no such file`. */
export function describeProblem({ file, line, problem }: EditionProblem): string {
  return `${file}${line === null ? "" : `:${line}`}: ${problem}`;
}

/** Thrown when a folder does not hold an edition that can be taken; says all that is wrong with it. */
export class BrokenEdition extends Error {
  constructor(readonly problems: readonly EditionProblem[]) {
    super(problems.map(describeProblem).join("\n"));
    this.name = "BrokenEdition";
  }
}
