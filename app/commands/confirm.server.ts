import { OperatorError } from "~db/operator-error";
import { ask } from "./ask.server";

/** Asks for the slug to be typed; throws an OperatorError if it is not, or if there is nobody to ask. */
export async function requireConfirmation(slug: string, what: string): Promise<void> {
  const answer = await ask(`\nType '${slug}' to ${what}:`);
  if (answer === null && !process.stdin.isTTY) {
    throw new OperatorError(`Nothing was done: without a terminal, add --yes to ${what}.`);
  }
  if (answer?.trim() !== slug) throw new OperatorError("Nothing was done.");
}
