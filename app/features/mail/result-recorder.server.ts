import { setTimeout as sleep } from "node:timers/promises";
import { log } from "~/observability/log.server";
import type { Executor } from "~db/client";
import { markMailsSent } from "~db/queries/mail-claims";

/** Statements that record sent mails at a time. More would take more CPU: each would record fewer mails. */
const RECORDING_CONNECTIONS = 2;

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 5_000;

/**
 * Records the results of deliveries. Until a sent mail is recorded, a kill would send it twice, so nothing is
 * collected: each result is written at once, and while all connections are busy, those that come meanwhile go
 * together in the next statement. While the database is unavailable, results are kept and retried.
 */
export class ResultRecorder {
  readonly #executor: Executor;
  #sent: { id: string; done: () => void }[] = [];
  #writing = 0;
  #failing = 0;
  #closed = false;

  constructor(executor: Executor) {
    this.#executor = executor;
  }

  /** Opens the connections and prepares the statement on each, which otherwise the first results would wait for. */
  async warmUp(): Promise<void> {
    const statements = Array.from({ length: RECORDING_CONNECTIONS }, () =>
      markMailsSent([], this.#executor),
    );
    await Promise.all(statements);
  }

  /** Whether a result could not be written so far: nothing should be sent whose result could not be either. */
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
        await update(this.#executor);
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

  /** Gives up what cannot be written. */
  close(): void {
    this.#closed = true;
  }

  #flush(): void {
    if (this.#writing >= RECORDING_CONNECTIONS || this.#sent.length === 0) return;
    const batch = this.#sent.splice(0);
    this.#writing += 1;
    const ids = batch.map(({ id }) => id);
    void this.record((executor) => markMailsSent(ids, executor)).then(() => {
      this.#writing -= 1;
      for (const { done } of batch) done();
      this.#flush();
    });
  }
}
