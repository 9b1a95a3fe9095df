/** Prints a line of a command's result. */
export function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** Prints a remark on standard error, so that standard output holds the result alone. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
