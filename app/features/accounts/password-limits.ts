/** Minimum length of a new password, in characters (specification, 5 and 9). */
export const PASSWORD_MIN_LENGTH = 6;

/** Maximum length of a password, in characters. Limits the server time of one request. */
export const PASSWORD_MAX_LENGTH = 1_000;
