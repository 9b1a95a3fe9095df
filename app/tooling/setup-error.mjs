/** A failure before the program itself runs, said in one sentence for whoever typed the command. */
export class SetupError extends Error {
  /** @override */
  name = "SetupError";
}
