/** Longest name of a passkey, in UTF-16 code units as inputs count them. */
export const PASSKEY_NAME_MAX_LENGTH = 60;
