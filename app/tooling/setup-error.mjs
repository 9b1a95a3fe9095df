/** A failure before the program itself runs, explained in one sentence to the user. */
export class SetupError extends Error {
  /** @override */
  name = "SetupError";
}
