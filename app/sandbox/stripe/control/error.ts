/** A control request that cannot be done, with the HTTP status that says why. */
export class ControlError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
