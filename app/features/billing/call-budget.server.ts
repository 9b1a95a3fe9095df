import PQueue from "p-queue";
import { type CallPurpose, priorityOf } from "./call-purpose.server";

/** Thrown if a call exceeds its maximum wait; nothing was sent. */
export class CallBudgetExhausted extends Error {
  override name = "CallBudgetExhausted";
  constructor() {
    super("Too many calls to Stripe are queued.");
  }
}

type Limits = {
  /** Calls started per second. */
  perSecond: number;
  /** Of those, calls to one endpoint. */
  perEndpoint: number;
  /** Maximum number of calls in flight. */
  concurrency: number;
  /** Maximum queueing time of a call, in milliseconds. */
  maxWaitMs: Record<CallPurpose, number>;
};

type Call = { purpose: CallPurpose; endpoint: string };

/**
 * Limits this process's calls to Stripe by rate and concurrency, in total and per endpoint. Queues calls beyond the
 * limits, most urgent purpose first, and rejects a call at once if it would wait too long.
 */
export class CallBudget {
  readonly #limits: Limits;
  readonly #all: PQueue;
  readonly #endpoints = new Map<string, PQueue>();
  readonly #waiting = new Set<Call>();
  #pausedUntil = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
    const { perSecond, concurrency } = limits;
    this.#all = queueOf(perSecond, concurrency);
  }

  /** Number of queued calls. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Makes a call once the limits allow it. Rejects with CallBudgetExhausted or the call's error. */
  async run<Result>({ purpose, endpoint }: Call, makeCall: () => Promise<Result>): Promise<Result> {
    const limit = this.#limits.maxWaitMs[purpose];
    if (this.#expectedWaitMs(purpose, endpoint) > limit) throw new CallBudgetExhausted();

    const call: Call = { purpose, endpoint };
    this.#waiting.add(call);
    // The estimate is too low if more urgent calls arrive later or Stripe responds slowly.
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(new CallBudgetExhausted()), limit);
    const stopWaiting = () => {
      clearTimeout(timer);
      this.#waiting.delete(call);
    };
    const options = { priority: priorityOf(purpose), signal: abort.signal };
    try {
      return await this.#queueOf(endpoint).add(
        () =>
          this.#all.add(() => {
            stopWaiting();
            return makeCall();
          }, options),
        options,
      );
    } finally {
      stopWaiting();
    }
  }

  /** Pauses all calls for this many milliseconds, as after a 429 from Stripe. */
  pause(milliseconds: number): void {
    const until = performance.now() + milliseconds;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#all.pause();
    setTimeout(() => {
      if (this.#pausedUntil === until) this.#all.start();
    }, milliseconds);
  }

  /** Returns how long a call would wait if all calls ahead of it ran at the full rate, in milliseconds. */
  #expectedWaitMs(purpose: CallPurpose, endpoint: string): number {
    const { perSecond, perEndpoint } = this.#limits;
    let before = 0;
    let beforeAtEndpoint = 0;
    for (const call of this.#waiting) {
      if (priorityOf(call.purpose) < priorityOf(purpose)) continue;
      before++;
      if (call.endpoint === endpoint) beforeAtEndpoint++;
    }
    const queued = Math.max(before / perSecond, beforeAtEndpoint / perEndpoint) * 1_000;
    return queued + Math.max(0, this.#pausedUntil - performance.now());
  }

  #queueOf(endpoint: string): PQueue {
    let queue = this.#endpoints.get(endpoint);
    if (!queue) {
      const { perEndpoint, concurrency } = this.#limits;
      // Released calls queue again for the total limit: at most one second's worth per endpoint.
      queue = queueOf(perEndpoint, Math.min(concurrency, perEndpoint));
      this.#endpoints.set(endpoint, queue);
    }
    return queue;
  }
}

/**
 * Returns a priority queue that spreads calls over the second. Stripe counts on arrival, so two bursts of a second's
 * worth could fall into one second.
 */
function queueOf(perSecond: number, concurrency: number): PQueue {
  const intervalCap = Math.max(1, Math.floor(perSecond / 10));
  const interval = (intervalCap / perSecond) * 1_000;
  return new PQueue({ interval, intervalCap, strict: true, concurrency });
}
