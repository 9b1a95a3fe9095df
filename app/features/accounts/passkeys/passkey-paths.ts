/** Where the browser requests a sign-in challenge and sends its assertion. */
export const PASSKEY_SIGN_IN_PATH = "/auth/passkey";

/** Where an account's passkeys are added, renamed, removed, and used to verify the user's identity. */
export const PASSKEYS_PATH = "/account/passkeys";

/** The account page's list of passkeys, for mails. */
export const PASSKEY_LIST_PATH = "/account#passkeys";

/** Maximum length of a passkey's name, in UTF-16 code units, as inputs count. */
export const PASSKEY_NAME_MAX_LENGTH = 60;
