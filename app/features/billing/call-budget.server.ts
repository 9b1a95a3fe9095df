import PQueue from "p-queue";
import { type CallPurpose, priorityOf } from "./call-purpose.server";

/** A call that would not be made before its caller has given up; nothing was sent. */
export class CallBudgetExhausted extends Error {
  override name = "CallBudgetExhausted";
  constructor() {
    super("Too many calls to Stripe are waiting.");
  }
}

type Limits = {
  /** Calls begun within a second. */
  perSecond: number;
  /** Of those, calls to one endpoint. */
  perEndpoint: number;
  /** Calls under way at one time. */
  concurrency: number;
  /** Longest wait of a call before it is made, in milliseconds. */
  longestWaitMs: Record<CallPurpose, number>;
};

type Call = { purpose: CallPurpose; endpoint: string };

/**
 * The calls to Stripe of this process: so many a second and at one time, altogether and for each endpoint.
 * Calls beyond that wait, the most urgent purpose first. One that would wait too long is refused at once.
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

  /** Calls that wait for their turn. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Makes a call when its turn comes. Throws CallBudgetExhausted, or what the call throws. */
  async run<Result>({ purpose, endpoint }: Call, makeCall: () => Promise<Result>): Promise<Result> {
    const limit = this.#limits.longestWaitMs[purpose];
    if (this.#expectedWaitMs(purpose, endpoint) > limit) throw new CallBudgetExhausted();

    const call: Call = { purpose, endpoint };
    this.#waiting.add(call);
    // the estimate is off when more urgent calls come later, or Stripe takes longer to answer
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

  /** Makes no call for so many milliseconds, as after Stripe said that there were too many. */
  pause(milliseconds: number): void {
    const until = Date.now() + milliseconds;
    if (until <= this.#pausedUntil) return;
    this.#pausedUntil = until;
    this.#all.pause();
    setTimeout(() => {
      if (this.#pausedUntil === until) this.#all.start();
    }, milliseconds);
  }

  /** How long a call would wait if all that are before it were made at the full rate. */
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
    return queued + Math.max(0, this.#pausedUntil - Date.now());
  }

  #queueOf(endpoint: string): PQueue {
    let queue = this.#endpoints.get(endpoint);
    if (!queue) {
      const { perEndpoint, concurrency } = this.#limits;
      // what it lets through waits for everybody's turn: never more than may be sent in one second
      queue = queueOf(perEndpoint, Math.min(concurrency, perEndpoint));
      this.#endpoints.set(endpoint, queue);
    }
    return queue;
  }
}

/**
 * A queue by priority, whose calls are spread over the second: Stripe counts them when they arrive, and one
 * second's worth at once could fall into the same second as the next.
 */
function queueOf(perSecond: number, concurrency: number): PQueue {
  const intervalCap = Math.max(1, Math.floor(perSecond / 10));
  const interval = (intervalCap / perSecond) * 1_000;
  return new PQueue({ interval, intervalCap, strict: true, concurrency });
}
