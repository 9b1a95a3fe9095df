import { setTimeout as sleep } from "node:timers/promises";
import { log } from "~/observability/log.server";
import type { Executor } from "~db/client";
import { markMailsSent } from "~db/queries/mail-claims";

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/**
 * Records delivery results. A kill before a sent mail is recorded would send it twice, so no result waits for a
 * timer. It is written at once, or batched with others as soon as the statement in progress commits. Concurrent
 * statements would record fewer mails each and take more CPU. While the database is unavailable, results are kept and
 * retried.
 */
export class ResultRecorder {
  #sent: { id: string; done: () => void }[] = [];
  #isWriting = false;
  #failing = 0;
  #closed = false;

  constructor(private readonly executor: Executor) {}

  /** Whether a result is still unwritten after a failure. If so, nothing more should be sent. */
  get isStuck(): boolean {
    return this.#failing > 0;
  }

  /** Records a mail as sent; resolves when that is committed. */
  sent(id: string): Promise<void> {
    return new Promise((resolve) => {
      this.#sent.push({ id, done: resolve });
      this.#flush();
    });
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

  #flush(): void {
    if (this.#isWriting || this.#sent.length === 0) return;
    const batch = this.#sent.splice(0);
    this.#isWriting = true;
    const ids = batch.map(({ id }) => id);
    void this.record((executor) => markMailsSent(ids, executor)).then(() => {
      this.#isWriting = false;
      for (const { done } of batch) done();
      this.#flush();
    });
  }
}
