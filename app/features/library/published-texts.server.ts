import { currentEdition, onEditionTaken } from "./current-edition.server";

/** A timer's longest time in Node is 24.8 days; a day also bounds what a clock that was set can do. */
const MAX_WAIT_MS = 86_400_000;

/**
 * Calls `listener` whenever other texts than before are published: when another edition is taken, and when the time
 * of a text comes. Until the returned function is called; no process stays alive for it.
 */
export function onPublishedTextsChanged(listener: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const waitForNext = () => {
    clearTimeout(timer);
    const next = currentEdition()?.nextPublication(new Date());
    if (!next) return;
    timer = setTimeout(
      () => {
        // timers may be a little early
        if (next <= new Date()) listener();
        waitForNext();
      },
      Math.min(Math.max(next.getTime() - Date.now(), 1), MAX_WAIT_MS),
    ).unref();
  };
  const stopListening = onEditionTaken(() => {
    listener();
    waitForNext();
  });
  waitForNext();
  return () => {
    clearTimeout(timer);
    stopListening();
  };
}
