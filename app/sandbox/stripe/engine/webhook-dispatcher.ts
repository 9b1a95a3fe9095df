import { setMaxListeners } from "node:events";
import Stripe from "stripe";
import { countPending, isUnderway, type ReleaseOrder, releaseHeld } from "./deliveries";
import { API_VERSION, type Log, type Sandbox } from "./sandbox";
import type { Delivery } from "./state";
import type { Store } from "./store";
import type { Event, WebhookEndpoint } from "./wire";

const MAX_CONCURRENT_ATTEMPTS = 50;
const ATTEMPT_TIMEOUT_MS = 10_000;
const FIRST_RETRY_MS = 500;
const SAVE_RETRY_MS = 1_000;
const MAX_RETRY_MS = 3_600_000;
const RETRY_FOR_SECONDS = 3 * 86_400;

/** Returns the delay after the nth failed attempt: 0.5 s, 1 s, 2 s, … up to an hour. */
function retryDelay(failedAttempts: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** (failedAttempts - 1), MAX_RETRY_MS);
}

/** Returns an event's request body, in the endpoint's API version. */
function webhookBody(event: Event, endpoint: WebhookEndpoint): string {
  return JSON.stringify({ ...event, api_version: endpoint.api_version ?? API_VERSION }, null, 2);
}

/** Sends signed deliveries to their endpoints. Retries failures for three days of the local Stripe's clock. */
export class WebhookDispatcher {
  private readonly underway = new Set<string>();
  private readonly closing = new AbortController();
  private readonly attemptListeners = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  private isScheduled = false;

  constructor(
    private readonly sandbox: Sandbox,
    /** Events are sent only once the state they describe is on disk. */
    private readonly store: Pick<Store, "mark" | "saved">,
    private readonly log: Log,
  ) {
    // each attempt of the last seconds listens to it
    setMaxListeners(0, this.closing.signal);
  }

  /** Starts the due deliveries after the current task. */
  wake(): void {
    if (this.isScheduled || this.closing.signal.aborted) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.startDue();
    });
  }

  private startDue(): void {
    if (this.closing.signal.aborted) return;
    clearTimeout(this.timer);
    const now = Date.now();
    const mark = this.store.mark();
    let next = Number.POSITIVE_INFINITY;
    for (const delivery of this.sandbox.state.deliveries.values()) {
      if (delivery.state !== "pending" || this.underway.has(delivery.id)) continue;
      if (delivery.nextAttemptAt > now) next = Math.min(next, delivery.nextAttemptAt);
      else if (this.underway.size < MAX_CONCURRENT_ATTEMPTS) void this.attempt(delivery, mark);
    }
    if (next < Number.POSITIVE_INFINITY) {
      this.timer = setTimeout(() => this.startDue(), Math.min(next - now, 2 ** 31 - 1)).unref();
    }
    for (const notify of this.attemptListeners) notify();
  }

  private async attempt(delivery: Delivery, mark: number): Promise<void> {
    this.underway.add(delivery.id);
    try {
      await this.store.saved(mark);
      await this.deliver(delivery);
    } catch (error) {
      // the state could not be saved, so a restart would lose this event
      delivery.nextAttemptAt = Date.now() + SAVE_RETRY_MS;
      this.log({
        msg: "sandbox webhook waits for its state to be saved",
        problem: describeError(error),
      });
    } finally {
      this.underway.delete(delivery.id);
      this.wake();
    }
  }

  private async deliver(delivery: Delivery): Promise<void> {
    const event = this.sandbox.state.events.get(delivery.eventId);
    const endpoint = this.sandbox.state.webhookEndpoints.get(delivery.endpointId);
    if (!event || endpoint?.status !== "enabled") {
      this.finish(delivery, event, "failed");
      return;
    }
    const started = Date.now();
    const { status, problem } = await this.post(event, endpoint);
    // an attempt aborted by closing is not the endpoint's failure; the next start repeats it
    if (this.closing.signal.aborted) return;
    delivery.attempts.push({ at: started, status, problem, durationMs: Date.now() - started });
    if (status !== null && status >= 200 && status < 300) {
      this.finish(delivery, event, "delivered");
    } else if (this.sandbox.now() - event.created >= RETRY_FOR_SECONDS) {
      this.finish(delivery, event, "failed");
    } else {
      delivery.nextAttemptAt = Date.now() + retryDelay(delivery.attempts.length);
      this.sandbox.changed();
    }
    this.log({
      msg: "sandbox webhook",
      event: event.id,
      type: event.type,
      endpoint: endpoint.id,
      status,
      problem,
      attempt: delivery.attempts.length,
      state: delivery.state,
    });
  }

  private async post(
    event: Event,
    endpoint: WebhookEndpoint,
  ): Promise<{ status: number | null; problem: string | null }> {
    const payload = webhookBody(event, endpoint);
    try {
      const response = await fetch(endpoint.url, {
        method: "POST",
        body: payload,
        headers: {
          "Content-Type": "application/json; charset=utf-8",
          "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
          "Stripe-Signature": Stripe.webhooks.generateTestHeaderString({
            payload,
            secret: endpoint.secret ?? "",
          }),
        },
        redirect: "manual",
        signal: this.signalAfter(ATTEMPT_TIMEOUT_MS),
      });
      await response.body?.cancel();
      return { status: response.status, problem: null };
    } catch (error) {
      return { status: null, problem: describeError(error) };
    }
  }

  private finish(
    delivery: Delivery,
    event: Event | undefined,
    state: "delivered" | "failed",
  ): void {
    delivery.state = state;
    if (event) countPending(this.sandbox, event);
    this.sandbox.changed();
  }

  /**
   * Releases held deliveries, at most `count`: one after another in an order, or all together. Resolves with their
   * number once each has been attempted.
   */
  async release(order: ReleaseOrder, count?: number): Promise<number> {
    const held = releaseHeld(this.sandbox, order, count);
    for (const { id } of held) this.underway.add(id);
    this.sandbox.changed();
    const mark = this.store.mark();
    if (order === "together") {
      await Promise.all(held.map((delivery) => this.attempt(delivery, mark)));
    } else {
      for (const delivery of held) await this.attempt(delivery, mark);
    }
    return held.length;
  }

  /**
   * Waits until no delivery is in progress or due for its first attempt; with `retries`, until no retry is pending
   * either. Resolves with false after `timeoutMs`.
   */
  async settled(timeoutMs: number, retries: boolean): Promise<boolean> {
    const isSettled = () =>
      this.underway.size === 0 &&
      ![...this.sandbox.state.deliveries.values()].some(
        ({ state, attempts, nextAttemptAt }) =>
          state === "pending" && (retries || attempts.length === 0 || nextAttemptAt <= Date.now()),
      );
    const timeout = this.signalAfter(timeoutMs);
    while (!isSettled()) {
      if (timeout.aborted) return false;
      await new Promise<void>((resolve) => {
        const notify = () => {
          this.attemptListeners.delete(notify);
          timeout.removeEventListener("abort", notify);
          resolve();
        };
        this.attemptListeners.add(notify);
        timeout.addEventListener("abort", notify);
      });
    }
    return true;
  }

  /**
   * Aborts after a time, or when the dispatcher is closed. Not `AbortSignal.any`: Node 20 garbage-collects its
   * timeouts before they fire.
   */
  private signalAfter(milliseconds: number): AbortSignal {
    const controller = new AbortController();
    const { signal } = controller;
    const late = () => controller.abort(new DOMException("too late", "TimeoutError"));
    setTimeout(late, milliseconds).unref();
    const closing = this.closing.signal;
    if (closing.aborted) controller.abort(closing.reason);
    closing.addEventListener("abort", () => controller.abort(closing.reason), {
      once: true,
      signal,
    });
    return signal;
  }

  /** How many deliveries are pending or held. */
  get backlog(): number {
    return [...this.sandbox.state.deliveries.values()].filter(isUnderway).length;
  }

  /** Stops the dispatcher. Deliveries in progress stay pending. */
  close(): void {
    this.closing.abort();
    clearTimeout(this.timer);
  }
}

function describeError(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  if (error.name === "TimeoutError") return "timeout";
  const { cause } = error;
  if (cause instanceof Error && "code" in cause) return String(cause.code);
  return error.message;
}
