/** A way in which the API misbehaves for its next requests. */
export type Fault = {
  /**
   * `error` answers with `status`; `slow` waits `ms`; `truncate` breaks off the answer half way;
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

  /** What goes wrong with this request: at most one delay and one failure. */
  take(request: string): { delayMs: number; failure: Fault | null } {
    const matching = this.faults.filter(({ match }) => request.startsWith(match));
    const slow = matching.find(({ kind }) => kind === "slow");
    const failure = matching.find(({ kind }) => kind !== "slow") ?? null;
    for (const fault of [slow, failure]) {
      if (fault && fault.times !== null) fault.times -= 1;
    }
    this.faults = this.faults.filter(({ times }) => times === null || times > 0);
    return { delayMs: slow?.ms ?? 0, failure };
  }
}
