/** Whether the folder's edition is the one served; "unknown" until the first check has ended. */
export type EditionState = "unknown" | "taken" | "not-taken";

let state: EditionState = "unknown";

let isAuthors = false;

/** Records the result of the last check of the edition's folder, and whether the author has an edition there. */
export function setEditionState(now: EditionState, hasOwn = isAuthors): void {
  state = now;
  isAuthors = hasOwn;
}

/** Returns whether the author's folder has an edition. */
export const hasOwnEdition = () => isAuthors;

/** Returns the result of this process's last check of the edition's folder. */
export function editionState(): EditionState {
  return state;
}
