import pTimeout from "p-timeout";
import { log } from "~/observability/log.server";

/** How long a check may take, in milliseconds. */
const TIMEOUT_MS = 20_000;

/**
 * Runs checks that may hang, such as one of a network folder whose machine is off. A check that times out continues in
 * the background and occupies one of Node.js's few threads for files, so no other is started until it has ended.
 */
export class TimeLimitedCheck {
  #isHanging = false;

  constructor(
    private readonly what: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  /** What the check finds; nothing if it times out, which is logged once, or while an earlier one hangs. */
  async run<T>(check: () => Promise<T[]>): Promise<T[]> {
    if (this.#isHanging) return [];
    const running = check();
    return pTimeout(running, {
      milliseconds: this.timeoutMs,
      fallback: () => {
        this.#isHanging = true;
        const end = () => {
          this.#isHanging = false;
        };
        running.then(end, end);
        log().warn(`${this.what} does not answer; it is not looked at until it does`);
        return [];
      },
    });
  }
}
