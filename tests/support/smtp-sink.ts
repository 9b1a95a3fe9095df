import { fork } from "node:child_process";
import { join } from "node:path";
import type { Delivery, Step } from "./smtp-sink-process.mjs";

export type { Delivery, Step };

export type SmtpSink = {
  url: string;
  port: number;
  /** Sets what happens to the next attempts to mail these addresses; after that, their mail is accepted. */
  script(steps: Record<string, Step[]>): Promise<void>;
  /** Replies to every connection and sender with this code; null opens the server again. */
  close(code: number | null): Promise<void>;
  /** Every message accepted so far, in order. */
  deliveries(): Promise<Delivery[]>;
  /** The number of messages accepted so far. */
  count(): Promise<number>;
  /** The number of messages that have been received and not answered yet. */
  concurrency(): Promise<number>;
  /** The maximum number of messages that were received concurrently. */
  mostAtOnce(): Promise<number>;
  stop(): Promise<void>;
};

/** Starts a scriptable SMTP server in its own process. */
export async function startSmtpSink(port = 0): Promise<SmtpSink> {
  const child = fork(join(import.meta.dirname, "smtp-sink-process.mjs"), [String(port)], {
    execArgv: [],
  });
  const waiting = new Map<number, (answer: never) => void>();
  let count = 0;
  const listening = await new Promise<number>((resolve) => {
    child.on("message", (message: { port?: number; id?: number; answer?: never }) => {
      if (message.port !== undefined) return resolve(message.port);
      const answer = waiting.get(Number(message.id));
      waiting.delete(Number(message.id));
      answer?.(message.answer as never);
    });
  });
  const ask = <Answer>(command: string, argument?: unknown) =>
    new Promise<Answer>((resolve) => {
      const id = ++count;
      waiting.set(id, resolve as (answer: never) => void);
      child.send({ id, command, argument });
    });
  return {
    url: `smtp://127.0.0.1:${listening}`,
    port: listening,
    script: (steps) => ask("script", steps),
    close: (code) => ask("close", code),
    deliveries: () => ask("deliveries"),
    count: () => ask("count"),
    concurrency: () => ask("concurrency"),
    mostAtOnce: () => ask("mostAtOnce"),
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.disconnect();
      }),
  };
}
