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
 * Repeats work, on one instance at a time. The returned function stops it and waits for a run in progress. The work
 * itself must notice what another instance has done meanwhile.
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
