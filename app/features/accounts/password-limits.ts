/** Minimum length of a new password, in characters (specification, 5 and 9). It has no maximum but that of a form. */
export const PASSWORD_MIN_LENGTH = 6;
