import pTimeout from "p-timeout";
import { log } from "~/observability/log.server";

/** How long a look may take, in milliseconds. */
const LIMIT_MS = 20_000;

/**
 * Looks at what may not answer for ever, such as a folder of a machine in the network that is off. A look that hangs is
 * given up but goes on, and holds one of the few threads that Node.js has for files, so there is no other until it ends.
 */
export class BoundedLook {
  #isHanging = false;

  constructor(
    private readonly what: string,
    private readonly limitMs = LIMIT_MS,
  ) {}

  /** What the look finds; nothing if it takes too long, which the log says once, or while a former one hangs. */
  async take<T>(look: () => Promise<T[]>): Promise<T[]> {
    if (this.#isHanging) return [];
    const looking = look();
    return pTimeout(looking, {
      milliseconds: this.limitMs,
      fallback: () => {
        this.#isHanging = true;
        const end = () => {
          this.#isHanging = false;
        };
        looking.then(end, end);
        log().warn(`${this.what} does not answer; it is not looked at until it does`);
        return [];
      },
    });
  }
}
