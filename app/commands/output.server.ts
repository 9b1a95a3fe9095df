import type { Answer } from "~/features/checks/answer";
import { formatCount } from "~/features/newsletter/format-count";

/** Prints a line of a command's result. */
export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Prints each answer of a doctor for one part of the site, and has the program exit with 1 if there is a problem. */
export function printAnswers(answers: readonly Answer[]): void {
  for (const { level, what, found, advice } of answers) {
    const mark = level === "problem" ? "FAIL" : "ok  ";
    print(`${mark} ${what}: ${found}${advice ? `. ${advice}` : ""}`);
    if (level === "problem") process.exitCode = 1;
  }
}

/** Prints a number, right-aligned, and what it counts. */
export function printCount(what: string, count: number): void {
  print(`${formatCount(count).padStart(11)}  ${what}`);
}

/** Prints a remark on standard error, so that standard output holds the result alone. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

/**
 * Writes a part of a command's result to standard output; resolves once it has left the process, so that memory stays
 * constant behind a slow reader. Rejects with EPIPE when the reader has gone.
 */
export async function writeOut(text: string | Uint8Array): Promise<void> {
  // without a listener it would end the process; the callback reports it
  const ignore = () => {};
  process.stdout.on("error", ignore);
  await new Promise<void>((written, failed) => {
    process.stdout.write(text, (error) => (error ? failed(error) : written()));
  });
  process.stdout.off("error", ignore);
}

/** Runs work that writes with `writeOut`, and lets it end when its reader has gone, as with `| head`. */
export async function whileRead(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  }
}
