import { afterOtherInstances, type InstanceLock } from "~db/queries/instance-lock";
import { log } from "./log.server";

type TimedWork = {
  work: (stopping: AbortSignal) => Promise<void>;
  /** Delay of the first run, and interval of all, in milliseconds. */
  firstMs: number;
  everyMs: number;
  /** Logged with the error when a run fails. */
  failure: string;
};

/**
 * Does work again and again, one instance at a time, until the returned function is called, which waits for a run in
 * progress. What another instance has done meanwhile is left to the work to notice.
 */
export function startTimedWork(
  lock: InstanceLock,
  { work, firstMs, everyMs, failure }: TimedWork,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  let inFlight: Promise<void> | null = null;
  const run = () => {
    inFlight ??= afterOtherInstances(lock, () => work(signal), signal)
      .catch((error: unknown) => log().error({ err: error }, failure))
      .finally(() => {
        inFlight = null;
      });
  };
  const first = setTimeout(run, firstMs).unref();
  const timer = setInterval(run, everyMs).unref();
  return async () => {
    clearTimeout(first);
    clearInterval(timer);
    stopping.abort();
    await inFlight;
  };
}
