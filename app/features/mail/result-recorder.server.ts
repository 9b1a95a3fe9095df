import { setTimeout as sleep } from "node:timers/promises";
import { log } from "~/observability/log.server";
import type { Executor } from "~db/client";

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/**
 * Records delivery results. A kill before a sent mail is recorded would send it twice, so each is written at once.
 * While the database is unavailable, results are kept and retried.
 */
export class ResultRecorder {
  #failing = 0;
  #closed = false;

  constructor(private readonly executor: Executor) {}

  /** Whether a result is still unwritten after a failure. If so, nothing more should be sent. */
  get isStuck(): boolean {
    return this.#failing > 0;
  }

  /** Runs an update until it succeeds, or the recorder is closed. It must be safe to run twice. */
  async record(update: (executor: Executor) => Promise<unknown>): Promise<void> {
    let failures = 0;
    while (!this.#closed) {
      try {
        await update(this.executor);
        break;
      } catch (error) {
        if (failures === 0) {
          this.#failing += 1;
          log().error({ err: error }, "a mail's result could not be recorded yet; it is retried");
        }
        failures += 1;
        await sleep(Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), LAST_RETRY_MS));
      }
    }
    if (failures > 0) this.#failing -= 1;
  }

  /** Gives up on results that cannot be written. */
  close(): void {
    this.#closed = true;
  }
}
