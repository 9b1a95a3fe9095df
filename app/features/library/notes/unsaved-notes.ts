/** A posted text that could not be stored, with what its page needs to post it again. */
export type UnsavedNotes = {
  slug: string;
  owner: string;
  version: number;
  text: string;
  /** Why it was not stored, in a sentence or two. */
  message: string;
  /** Email address to sign in with, "" if unknown; null if the retry needs no sign-in. */
  signInAs: string | null;
};
