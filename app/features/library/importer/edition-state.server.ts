/** Whether the edition in the folder is the one that is served; "unknown" until the first look has ended. */
export type EditionState = "unknown" | "taken" | "not-taken";

let state: EditionState = "unknown";

/** Notes what became of the last look at the edition's folder. */
export function setEditionState(now: EditionState): void {
  state = now;
}

/** What became of this process's last look at the edition's folder. */
export function editionState(): EditionState {
  return state;
}
