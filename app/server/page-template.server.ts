/** What a template leaves open, each in the form in which it stands in HTML. */
export type HoleName = "email" | "initial" | "picture" | "user" | "nonce" | "data";

/** The text that stands for each value in a page rendered to make a template of. */
export type Markers = Readonly<Record<HoleName, string>>;

/** A page rendered for a stand-in viewer, with the markers that stand in it. */
export type RenderedStandIn = { html: string; markers: Markers };

type Part = Buffer | HoleName;

/** A page without what belongs to its viewer, as bytes that many answers share. */
export class PageTemplate {
  private constructor(readonly parts: readonly Part[]) {}

  /**
   * The template that two pages have in common, which differ in nothing but their markers; null if they differ in
   * anything else, so that something was derived from a value, or if they cannot be a viewer's page: one without an
   * address, or not with its data exactly once.
   */
  static from(one: RenderedStandIn, other: RenderedStandIn): PageTemplate | null {
    const texts = split(one);
    const others = split(other);
    if (texts.length !== others.length || texts.some((text, index) => text !== others[index])) {
      return null;
    }
    const holes = texts.filter((_, index) => index % 2 === 1);
    if (holes.filter((name) => name === "data").length !== 1) return null;
    if (!holes.includes("email")) return null;
    return new PageTemplate(
      texts.map((text, index) => (index % 2 === 1 ? (text as HoleName) : Buffer.from(text))),
    );
  }

  /** The page with these values, which have to be escaped for where they stand. */
  fill(values: Readonly<Record<HoleName, string>>): Buffer {
    const bytes: Partial<Record<HoleName, Buffer>> = {};
    return Buffer.concat(
      this.parts.map((part) => {
        if (typeof part !== "string") return part;
        bytes[part] ??= Buffer.from(values[part]);
        return bytes[part];
      }),
    );
  }
}

/** The page's texts, and between every two of them the name of the marker that separated them. */
function split({ html, markers }: RenderedStandIn): string[] {
  const names = new Map(Object.entries(markers).map(([name, marker]) => [marker, name]));
  // the longest first, because a marker may begin with another one
  const longestFirst = [...names.keys()].sort((a, b) => b.length - a.length);
  const pattern = new RegExp(`(${longestFirst.map(escapeRegExp).join("|")})`);
  return html
    .split(pattern)
    .map((text, index) => (index % 2 === 1 ? (names.get(text) ?? "") : text));
}

const escapeRegExp = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

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
