/** Where the browser asks to sign in with a passkey, and answers. */
export const PASSKEY_SIGN_IN_PATH = "/auth/passkey";

/** Where the passkeys of an account are added, renamed, removed, and used to confirm who is there. */
export const PASSKEYS_PATH = "/account/passkeys";

/** The part of the account page that lists the passkeys, for mails. */
export const PASSKEY_LIST_PATH = "/account#passkeys";

/** Longest name of a passkey, in UTF-16 code units as inputs count them. */
export const PASSKEY_NAME_MAX_LENGTH = 60;
