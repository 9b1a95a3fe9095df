import { parseDocument } from "yaml";

const FRONT_MATTER = /^---[ \t]*\n([\s\S]*?\n)?---[ \t]*(?=\n|$)/;

/**
 * Returns a text with fields of its front matter set, or removed where they are null. The other fields and all comments stay.
 * A text whose front matter cannot be read stays as it is.
 */
export function changeFrontMatter(
  text: string,
  fields: Readonly<Record<string, string | number | boolean | null>>,
): string {
  const [before, yaml = ""] = FRONT_MATTER.exec(text) ?? [];
  const document = parseDocument(yaml);
  if (before === undefined || document.errors.length > 0) return text;
  for (const [name, value] of Object.entries(fields)) {
    if (value === null) document.delete(name);
    else document.set(name, value);
  }
  return `---\n${document.toString({ lineWidth: 0 })}---${text.slice(before.length)}`;
}
