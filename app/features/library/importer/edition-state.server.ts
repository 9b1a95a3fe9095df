/** Whether the folder's edition is the one served; "unknown" until the first check has ended. */
export type EditionState = "unknown" | "taken" | "not-taken";

let state: EditionState = "unknown";

/** Records the result of the last check of the edition's folder. */
export function setEditionState(now: EditionState): void {
  state = now;
}

/** Returns the result of this process's last check of the edition's folder. */
export function editionState(): EditionState {
  return state;
}
