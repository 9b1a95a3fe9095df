/** Name of the field that only bots fill in. */
export const HONEYPOT_FIELD = "favourite_colour";
