/** A way in which the API misbehaves for its next requests. */
export type Fault = {
  /**
   * `error` responds with `status`, stored under the request's idempotency key from 500 on; `slow` waits
   * for `ms`; `truncate` cuts the response off half way; `destroy` closes the connection without one.
   */
  kind: "error" | "slow" | "truncate" | "destroy";
  /** How many requests it affects; null for all until the faults are cleared. */
  times: number | null;
  /** Whether it strikes `before` the request's work is done, or `after`. */
  when: "before" | "after";
  /** Prefix of the `METHOD /path` of the requests it affects. */
  match: string;
  status: number;
  ms: number;
};

/** The faults that a tester has set, in force until their `times` are used up. */
export class Faults {
  private faults: Fault[] = [];

  get all(): readonly Fault[] {
    return this.faults;
  }

  add(fault: Fault): void {
    this.faults.push(fault);
  }

  clear(): void {
    this.faults = [];
  }

  /** How long to delay this request, in milliseconds. */
  takeDelay(request: string): number {
    return this.use(({ kind, match }) => kind === "slow" && request.startsWith(match))?.ms ?? 0;
  }

  /** The failure of this request; null for none. `error` does not apply to a replay, whose response is stored. */
  takeFailure(request: string, isReplay: boolean): Fault | null {
    return this.use(
      ({ kind, match }) =>
        kind !== "slow" && !(isReplay && kind === "error") && request.startsWith(match),
    );
  }

  private use(isMeant: (fault: Fault) => boolean): Fault | null {
    const fault = this.faults.find(isMeant) ?? null;
    if (fault?.times != null) fault.times -= 1;
    this.faults = this.faults.filter(({ times }) => times === null || times > 0);
    return fault;
  }
}

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
