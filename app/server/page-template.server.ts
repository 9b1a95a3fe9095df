import { escapeRegExp } from "./escape-reg-exp";

/** What a template leaves open, each in the form in which it stands in HTML. */
export type HoleName = "email" | "initial" | "picture" | "user" | "nonce" | "data";

/** The text that stands for each value in a page rendered to make a template of. */
export type Markers = Readonly<Record<HoleName, string>>;

/** A text rendered for a stand-in viewer, with the markers that stand in it. */
type Rendered<Name extends string> = { html: string; markers: Readonly<Record<Name, string>> };

/** A text without the values that stand in it, as bytes that many answers share. */
export class TextTemplate<Name extends string> {
  protected constructor(private readonly parts: readonly (Buffer | Name)[]) {}

  /** What two texts have in common that differ in nothing but their markers; null if they differ in anything else. */
  static common<Name extends string>(
    one: Rendered<Name>,
    other: Rendered<Name>,
  ): TextTemplate<Name> | null {
    const texts = split(one);
    const others = split(other);
    if (texts.length !== others.length || texts.some((text, index) => text !== others[index])) {
      return null;
    }
    return new TextTemplate(
      texts.map((text, index) => (index % 2 === 1 ? (text as Name) : Buffer.from(text))),
    );
  }

  /** How often a value stands in it. */
  count(name: Name): number {
    return this.parts.filter((part) => part === name).length;
  }

  /** The text with these values, which have to be escaped for where they stand. */
  fill(values: Readonly<Record<Name, string | Buffer>>): Buffer {
    const bytes = new Map<Name, Buffer>();
    return Buffer.concat(
      this.parts.map((part) => {
        if (typeof part !== "string") return part;
        const value = bytes.get(part) ?? Buffer.from(values[part]);
        bytes.set(part, value);
        return value;
      }),
    );
  }
}

/** A page rendered for a stand-in viewer. */
export type RenderedStandIn = Rendered<HoleName>;

export type PageTemplate = TextTemplate<HoleName>;

/**
 * The template that two pages have in common, which differ in nothing but their markers; null if they differ in
 * anything else, so that something was derived from a value, or if they cannot be a viewer's page: one without an
 * address, or not with its data exactly once.
 */
export function pageTemplate(one: RenderedStandIn, other: RenderedStandIn): PageTemplate | null {
  const template = TextTemplate.common<HoleName>(one, other);
  return template && template.count("data") === 1 && template.count("email") > 0 ? template : null;
}

/** The texts, and between every two of them the name of the marker that separated them. */
function split<Name extends string>({ html, markers }: Rendered<Name>): string[] {
  const names = new Map(
    Object.entries<string>(markers).map(([name, marker]) => [marker, name] as const),
  );
  // the longest first, because a marker may begin with another one
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(${longestFirst.map(escapeRegExp).join("|")})`);
  return html
    .split(pattern)
    .map((text, index) => (index % 2 === 1 ? (names.get(text) ?? "") : text));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': "&quot;",
  "&": "&amp;",
  "'": "&#x27;",
  "<": "&lt;",
  ">": "&gt;",
};

/** A text as React writes it, in an element or in an attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/["&'<>]/g, (character) => ESCAPES[character] ?? "");
}
