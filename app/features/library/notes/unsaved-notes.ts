/** A posted text that could not be stored, and what its page needs to post it again. */
export type UnsavedNotes = {
  slug: string;
  owner: string;
  version: number;
  text: string;
  /** Why it was not stored, in a sentence or two. */
  message: string;
  /** The address to sign in with, "" if it is not known; null if the next attempt needs no signing in. */
  signInAs: string | null;
};
