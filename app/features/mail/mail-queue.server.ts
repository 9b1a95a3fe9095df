import pTimeout from "p-timeout";
import { log } from "~/observability/log.server";
import { isDatabaseUnavailable } from "~db/database-errors";
import { MailFailure } from "./mail-failure.server";
import type { MailDestination, MailMessage } from "./mail-message";

/** A mail to be composed and sent after the response to the visitor. */
export type MailJob = {
  /** What the mail is for, for the log, such as "password reset". */
  purpose: string;
  /** Composes the mail; null if there is none to send. */
  compose: () => Promise<MailMessage | null>;
};

export type MailQueueOptions = {
  send: (message: MailMessage) => Promise<MailDestination>;
  /** Maximum number of mails composed or sent at a time. */
  concurrency: number;
  /** Maximum number of mails held: queued, being sent, and waiting for a retry. */
  capacity: number;
  /** Delay before each retry after a temporary failure, in milliseconds. */
  retryDelays: readonly number[];
};

type Entry = { job: MailJob; message: MailMessage | null; attempts: number };

/**
 * Sends mail in the background with limited concurrency and capacity. It is kept in memory only: mail still
 * held when the process stops is lost, and the visitor has to request it again.
 */
export class MailQueue {
  readonly #options: MailQueueOptions;
  readonly #waiting: Entry[] = [];
  readonly #retries = new Map<NodeJS.Timeout, Entry>();
  #running = 0;
  #closing = false;
  #onIdle: (() => void)[] = [];

  constructor(options: MailQueueOptions) {
    this.#options = options;
  }

  /** Queues a mail and returns at once; false, with a log line, if the queue is full or closing. */
  add(job: MailJob): boolean {
    if (this.#closing || this.#held() >= this.#options.capacity) {
      log().error(
        { purpose: job.purpose, held: this.#held() },
        "a mail was not taken: too many wait to be sent. Check the mail server named by SMTP_URL.",
      );
      return false;
    }
    this.#waiting.push({ job, message: null, attempts: 0 });
    // Deferred, so that the response to the visitor goes first.
    setImmediate(() => this.#next());
    return true;
  }

  /** Resolves when no mail is held any more, including retries. */
  idle(): Promise<void> {
    if (this.#held() === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  /**
   * Accepts no more mail, retries at once what waited for a retry, and waits at most `timeoutMs` for the rest.
   * Logs how many mails were lost.
   */
  async close(timeoutMs: number): Promise<void> {
    this.#closing = true;
    for (const [timer, entry] of this.#retries) {
      clearTimeout(timer);
      this.#waiting.push(entry);
    }
    this.#retries.clear();
    this.#next();
    await pTimeout(this.idle(), { milliseconds: timeoutMs, message: false });
    const lost = this.#held();
    this.#waiting.length = 0;
    if (lost > 0) log().error({ lost }, "the program stops with mails that were not sent");
  }

  #held(): number {
    return this.#waiting.length + this.#running + this.#retries.size;
  }

  #next(): void {
    while (this.#running < this.#options.concurrency) {
      const entry = this.#waiting.shift();
      if (!entry) break;
      this.#running += 1;
      void this.#attempt(entry).finally(() => {
        this.#running -= 1;
        this.#next();
      });
    }
    if (this.#held() === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  async #attempt(entry: Entry): Promise<void> {
    const { purpose, compose } = entry.job;
    entry.attempts += 1;
    try {
      entry.message ??= await compose();
      if (!entry.message) return;
      const destination = await this.#options.send(entry.message);
      const done = destination === "smtp" ? "mail sent" : "mail written to the outbox";
      log().info({ purpose, attempts: entry.attempts }, done);
    } catch (error) {
      const delay = this.#options.retryDelays[entry.attempts - 1];
      const again = delay !== undefined && !this.#closing && isTemporary(error);
      logFailure(entry, error, again ? delay : null);
      if (again) this.#retry(entry, delay);
    }
  }

  #retry(entry: Entry, delay: number): void {
    const timer = setTimeout(() => {
      this.#retries.delete(timer);
      this.#waiting.push(entry);
      this.#next();
    }, delay);
    this.#retries.set(timer, entry);
  }
}

function isTemporary(error: unknown): boolean {
  return error instanceof MailFailure ? error.facts.temporary : isDatabaseUnavailable(error);
}

function logFailure({ job, attempts }: Entry, error: unknown, retryInMs: number | null): void {
  const facts = { purpose: job.purpose, attempts, retryInMs };
  const what = retryInMs === null ? "a mail was given up." : "a mail could not be sent yet.";
  const level = retryInMs === null ? "error" : "warn";
  if (error instanceof MailFailure) {
    const { code, responseCode, advice } = error.facts;
    log()[level]({ ...facts, code, responseCode }, `${what} ${advice}`);
  } else {
    log()[level]({ ...facts, err: error }, `${what} It could not be prepared: see the error.`);
  }
}
