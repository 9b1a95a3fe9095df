import { createInterface } from "node:readline/promises";

/**
 * Asks the operator for a line on the terminal; null if there is none, as in a script, or the input ends. The
 * question goes to standard error, so that standard output holds the result alone.
 */
export async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return null;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((answered) => {
      terminal.once("close", () => answered(null));
      terminal.question(`${question} `).then(answered, () => answered(null));
    });
  } finally {
    terminal.close();
  }
}
