import { databaseErrorCode } from "./database-errors";

/**
 * A failure the operator can fix: its message is one or more plain sentences that say what is wrong
 * and what to do. The program prints it without a stack trace and exits with a non-zero status.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}

/** An error of a database as an OperatorError, if there is a sentence for its code; any other error as it is. */
export function explainedBy(sentences: Readonly<Record<string, string>>, error: unknown): unknown {
  // such as why there is no backup, with what the database said as its cause
  if (error instanceof OperatorError) return error;
  const sentence = sentences[databaseErrorCode(error) ?? ""];
  return sentence ? new OperatorError(sentence, { cause: error }) : error;
}
