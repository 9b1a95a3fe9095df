import { escapeRegExp } from "./escape-reg-exp";

/** The texts that stand for each value in a page rendered to make a template of, by the name of its place. */
export type Markers = Readonly<Record<string, string>>;

/** A text rendered for a stand-in viewer, with the markers that stand in it. */
export type RenderedStandIn = { html: string; markers: Markers };

/** A text without the values that stand in it, as bytes that many answers share. */
export class TextTemplate {
  private constructor(private readonly parts: readonly (Buffer | string)[]) {}

  /** What two texts have in common that differ in nothing but their markers; null if they differ in anything else. */
  static common(one: RenderedStandIn, other: RenderedStandIn): TextTemplate | null {
    const texts = split(one);
    const others = split(other);
    if (texts.length !== others.length || texts.some((text, index) => text !== others[index])) {
      return null;
    }
    return new TextTemplate(
      texts.map((text, index) => (index % 2 === 1 ? text : Buffer.from(text))),
    );
  }

  /** How often a value stands in it. */
  count(name: string): number {
    return this.parts.filter((part) => part === name).length;
  }

  /** The text with these values, each asked for once, which have to be escaped for where they stand. */
  fill(read: (name: string) => string | Buffer | undefined): Buffer {
    const bytes = new Map<string, Buffer>();
    return Buffer.concat(
      this.parts.map((part) => {
        if (typeof part !== "string") return part;
        const value = bytes.get(part) ?? bytesOf(read(part), part);
        bytes.set(part, value);
        return value;
      }),
    );
  }
}

function bytesOf(value: string | Buffer | undefined, name: string): Buffer {
  if (value === undefined) throw new Error(`A template is filled in without its '${name}'.`);
  return typeof value === "string" ? Buffer.from(value) : value;
}

/**
 * The template that two pages have in common, which differ in nothing but their markers; null if they differ in
 * anything else, so that something was derived from a value, or if they cannot be a viewer's page: one without an
 * address, or not with its data exactly once.
 */
export function pageTemplate(one: RenderedStandIn, other: RenderedStandIn): TextTemplate | null {
  const template = TextTemplate.common(one, other);
  return template && template.count("data") === 1 && template.count("email") > 0 ? template : null;
}

/** The texts, and between every two of them the name of the marker that separated them. */
function split({ html, markers }: RenderedStandIn): string[] {
  const names = new Map(Object.entries(markers).map(([name, marker]) => [marker, name] as const));
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
