/** The longest time a call can be made to take, in milliseconds. */
export const MAX_LATENCY_MS = 60_000;

/** How long every call of the API takes, in milliseconds, however many run at once. */
export class Latency {
  ms: number;

  constructor(private readonly usual: number) {
    this.ms = usual;
  }

  /** Back to what it was when the sandbox started. */
  reset(): void {
    this.ms = this.usual;
  }
}
