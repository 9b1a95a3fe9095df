/**
 * A failure the operator can fix: its message is one or more plain sentences that say what is wrong
 * and what to do. The program prints it without a stack trace and exits with a non-zero status.
 */
export class OperatorError extends Error {
  override name = "OperatorError";
}
