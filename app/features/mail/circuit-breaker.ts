import type { ServerVerdict } from "./delivery-outcome";

/** Consecutive dropped connections after which the server counts as unavailable. */
const DROPS_TO_OPEN = 3;
const FIRST_PROBE_MS = 1_000;
const LAST_PROBE_MS = 60_000;

/**
 * Stops sending while the mail server is unavailable. Lets one mail through as a probe after 1, 2, 4 … 60 seconds.
 * Times are milliseconds of the caller's monotonic clock.
 */
export class CircuitBreaker {
  #drops = 0;
  #failures = 0;
  #probeAt = 0;

  get isOpen(): boolean {
    return this.#failures > 0;
  }

  /** How many mails may be in progress at once: `most` while closed; while open, one if a probe is due, else none. */
  allowed(most: number, now: number): number {
    if (!this.isOpen) return most;
    return now >= this.#probeAt ? Math.min(1, most) : 0;
  }

  /** Milliseconds until the next probe; 0 if it is due or the circuit is closed. */
  waitMs(now: number): number {
    return this.isOpen ? Math.max(0, this.#probeAt - now) : 0;
  }

  /** Records an attempt's verdict and returns the resulting state change, if any. */
  record(verdict: ServerVerdict, now: number): "opened" | "closed" | null {
    this.#drops = verdict === "drops" ? this.#drops + 1 : 0;
    const wasOpen = this.isOpen;
    if (
      verdict === "unavailable" ||
      (verdict === "drops" && (wasOpen || this.#drops >= DROPS_TO_OPEN))
    ) {
      this.#postpone(now);
      return wasOpen ? null : "opened";
    }
    if (verdict === "drops" || !wasOpen) return null;
    this.#failures = 0;
    return "closed";
  }

  /** Schedules the next probe. Mails that fail together count as one failure. */
  #postpone(now: number): void {
    if (this.isOpen && now < this.#probeAt) return;
    this.#failures += 1;
    this.#probeAt = now + Math.min(FIRST_PROBE_MS * 2 ** (this.#failures - 1), LAST_PROBE_MS);
  }
}
