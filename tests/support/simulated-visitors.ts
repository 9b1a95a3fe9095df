import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { eventually } from "./eventually";
import type { Visitor } from "./http-client";

/** Number of writing visitors, and of signed-in reading ones. */
const VISITORS = 10;
/** Time between two requests of a writing visitor, and of a reading one, in milliseconds. */
const WRITING_MS = 20;
const READING_MS = 200;

type Member = { visitor: Visitor; email: string; cookie: string };

/** Simulated visitors of several sites. They write and read continuously, and record acknowledged writes. */
export class SimulatedVisitors {
  readonly acknowledged: { email: string; at: number }[] = [];
  readonly members: Member[] = [];
  readonly signedOut: string[] = [];
  failed = 0;
  #isStopping = false;
  #running: Promise<unknown> = Promise.resolve();

  /** `visit` opens a new browser at the site; `index` identifies the visitor. */
  constructor(private readonly visit: (index: number) => Visitor) {}

  /** Signs up the reading visitors. */
  async signUp(): Promise<void> {
    for (let index = 0; index < VISITORS; index++) {
      const visitor = this.visit(index);
      const email = `member-${index}@example.test`;
      await visitor.signUp(email);
      this.members.push({ visitor, email, cookie: visitor.cookie });
    }
  }

  start(): void {
    const writers = Array.from({ length: VISITORS }, (_, index) => this.#write(index));
    this.#running = Promise.all([...writers, ...this.members.map((member) => this.#read(member))]);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  /** Waits until this many more writes have been acknowledged. */
  async waitForWrites(count: number): Promise<void> {
    const wanted = this.acknowledged.length + count;
    await eventually(() => expect(this.acknowledged.length).toBeGreaterThanOrEqual(wanted));
  }

  /** The longest time without an acknowledged write from a moment on, in milliseconds. */
  longestOutageSince(since: number): number {
    const times = [since, ...this.acknowledged.map(({ at }) => at).filter((at) => at > since)];
    times.push(Date.now());
    return Math.max(...times.map((at, index) => at - (times[index - 1] ?? at)));
  }

  async #write(index: number): Promise<void> {
    for (let count = 0; !this.#isStopping; count++) {
      const email = `writer-${index}-${count}@example.test`;
      try {
        const answer = await this.visit(index + count).post("/newsletter", { json: { email } });
        if (answer.status === 200) this.acknowledged.push({ email, at: Date.now() });
        else this.failed++;
      } catch {
        // no response
        this.failed++;
      }
      await pause(WRITING_MS);
    }
  }

  async #read({ visitor, email }: Member): Promise<void> {
    const { cookie } = visitor;
    while (!this.#isStopping) {
      await visitor.get("/").catch(() => null);
      if (visitor.cookie !== cookie) {
        this.signedOut.push(email);
        return;
      }
      await pause(READING_MS);
    }
  }
}
