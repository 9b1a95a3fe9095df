/** A misbehavior of the API for its next requests. */
export type Fault = {
  /**
   * `error` responds with `status` and `message`, stored under the request's idempotency key unless it is 401, 403,
   * 409 or 429; `slow` waits for `ms`; `truncate` cuts the response off halfway; `destroy` closes the connection
   * without a response.
   */
  kind: "error" | "slow" | "truncate" | "destroy";
  /** How many requests it affects; null for all until the faults are cleared. */
  times: number | null;
  /** Whether it occurs `before` or `after` the request's work. */
  when: "before" | "after";
  /** Prefix of the `METHOD /path` of the requests it affects. */
  match: string;
  status: number;
  message: string;
  ms: number;
};

/** The faults set by a tester, active until their `times` are used up. */
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

  /** Returns the delay for this request, in milliseconds. */
  takeDelay(request: string): number {
    return this.use(({ kind, match }) => kind === "slow" && request.startsWith(match))?.ms ?? 0;
  }

  /** Returns this request's failure, null for none. `error` does not apply to a replay, whose response is stored. */
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

/** Maximum latency of a call, in milliseconds. */
export const MAX_LATENCY_MS = 60_000;

/** The latency of every API call in milliseconds, however many run at once. */
export class Latency {
  ms: number;

  constructor(private readonly usual: number) {
    this.ms = usual;
  }

  /** Restores the latency at the start of the local Stripe. */
  reset(): void {
    this.ms = this.usual;
  }
}
