import { currentEdition, onEditionChange } from "./current-edition.server";

/** Node's timers take at most 24.8 days. A day also limits how long a clock change goes unnoticed. */
const MAX_WAIT_MS = 86_400_000;

/**
 * Calls `listener` when the set of published texts changes: on a new edition, and at a text's publication. Ends when
 * the returned function is called. The timer does not keep the process alive.
 */
export function onPublishedTextsChanged(listener: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const waitForNext = () => {
    clearTimeout(timer);
    const next = currentEdition()?.nextPublication(new Date());
    if (!next) return;
    timer = setTimeout(
      () => {
        // timers may fire slightly early
        if (next <= new Date()) listener();
        waitForNext();
      },
      Math.min(Math.max(next.getTime() - Date.now(), 1), MAX_WAIT_MS),
    ).unref();
  };
  const stopListening = onEditionChange(() => {
    listener();
    waitForNext();
  });
  waitForNext();
  return () => {
    clearTimeout(timer);
    stopListening();
  };
}
