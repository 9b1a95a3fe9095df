import pTimeout from "p-timeout";
import { clearCurrentSite, setCurrentSite } from "~/features/site/current-site.server";
import type { Edition } from "./edition";

/** How long a request waits for a new installation's first edition, in milliseconds. */
const FIRST_EDITION_TIMEOUT_MS = 3_000;

type Listener = (edition: Edition) => void;

let current: Edition | null = null;
const listeners = new Set<Listener>();

/** Sets the edition that this process serves. */
export function setCurrentEdition(edition: Edition): void {
  current = edition;
  setCurrentSite(edition.site);
  for (const listener of listeners) listener(edition);
}

/** Clears the edition. For tests. */
export function clearCurrentEdition(): void {
  current = null;
  clearCurrentSite();
}

/** Calls `listener` with each new edition, until the returned function is called. */
export function onEditionChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Returns the edition that this process serves; null while a new installation reads its first one. */
export function currentEdition(): Edition | null {
  return current;
}

/** Like `currentEdition`, but waits a few seconds for the first edition. */
export async function waitForEdition(): Promise<Edition | null> {
  if (current) return current;
  let stopListening = () => {};
  const taken = new Promise<Edition>((resolve) => {
    stopListening = onEditionChange(resolve);
  });
  return pTimeout<Edition, null>(taken, {
    milliseconds: FIRST_EDITION_TIMEOUT_MS,
    fallback: () => null,
  }).finally(stopListening);
}
