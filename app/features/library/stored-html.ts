/**
 * Matches tags in a stored text's HTML. It was sanitized and serialized, so a bracket always belongs to a tag unless
 * it is in a quoted attribute.
 */
export const TAGS = /<(?:[^"'>]|"[^"]*"|'[^']*')*>/g;

/** Matches everything but text in it: tags and character references. */
export const NOT_TEXT = new RegExp(`${TAGS.source}|&#?\\w+;`, "g");
