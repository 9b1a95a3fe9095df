/** Name of the field that only programs fill in. */
export const HONEYPOT_FIELD = "favourite_colour";
