/** A way in which the API misbehaves for its next requests. */
export type Fault = {
  /**
   * `error` answers with `status`, which from 500 on is kept for the request's idempotency key; `slow` waits `ms`; `truncate` breaks off the answer half way;
   * `destroy` breaks the connection without one.
   */
  kind: "error" | "slow" | "truncate" | "destroy";
  /** For how many requests; null for all until the faults are cleared. */
  times: number | null;
  /** Whether the request's work is left undone (`before`) or done all the same (`after`). */
  when: "before" | "after";
  /** Only for requests whose `METHOD /path` begins so. */
  match: string;
  status: number;
  ms: number;
};

/** The faults that a tester has set, used up one request at a time. */
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

  /** How long this request is to wait, in milliseconds. */
  takeDelay(request: string): number {
    return this.use(({ kind, match }) => kind === "slow" && request.startsWith(match))?.ms ?? 0;
  }

  /** What goes wrong with this request. A replayed answer is stored already and no error of work. */
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
