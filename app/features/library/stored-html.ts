/**
 * The tags in a stored text's HTML. It was sanitised and put out by a serialiser, so a bracket is always that of a tag
 * unless it stands in a quoted attribute.
 */
export const TAGS = /<(?:[^"'>]|"[^"]*"|'[^']*')*>/g;

/** Whatever is not text in it: tags and character references. */
export const NOT_TEXT = new RegExp(`${TAGS.source}|&#?\\w+;`, "g");
