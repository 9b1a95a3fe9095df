/** Shortest password a new account may have, in characters (specification, 5 and 9). */
export const PASSWORD_MIN_LENGTH = 6;

/** Longest password that is hashed, in characters; limits the server time a request can cost. */
export const PASSWORD_MAX_LENGTH = 1_000;
