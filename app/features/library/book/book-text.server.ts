import type { Element, ElementContent, Root } from "hast";
import { fromHtml } from "hast-util-from-html";
import { toString as textOf } from "hast-util-to-string";
import { toXast } from "hast-util-to-xast";
import { SKIP, visit } from "unist-util-visit";
import type { ElementContent as XmlContent } from "xast";
import { MEDIA_PATH } from "../library-paths";

/** Minimum length of a first paragraph with a drop cap, in characters. */
const MIN_DROP_CAP_TEXT = 180;

/** Targets of a text's references in the book. */
export type BookReferences = {
  /** The site's address, against which paths are resolved. */
  siteUrl: string;
  /** The texts in the book, by the path of their page on the site. */
  texts: ReadonlyMap<string, { file: string; blockCount: number }>;
  /** Returns the file of an image by its media name; null if the book cannot include it. */
  imageFile: (name: string) => Promise<string | null>;
};

/**
 * Converts a stored text to XHTML for e-readers. Footnotes open in place, links lead to texts in the book or to the
 * site, and images are the book's.
 */
export async function bookText(html: string, references: BookReferences): Promise<XmlContent[]> {
  const tree = fromHtml(html, { fragment: true });
  const images = await imageFiles(tree, references);
  const ids = new Set<string>();
  visit(tree, "element", ({ properties }) => {
    if (typeof properties.id === "string") ids.add(properties.id);
  });
  visit(tree, "element", (element, index, parent) => {
    const { properties } = element;
    switch (element.tagName) {
      case "a":
        rewriteLink(element, ids, references);
        break;
      case "img": {
        delete properties.loading;
        const file = images.get(String(properties.src));
        if (file) properties.src = file;
        else if (parent && index !== undefined) {
          parent.children[index] = imageLeftOut(String(properties.alt ?? ""));
          return SKIP;
        }
        break;
      }
      case "aside":
        Object.assign(properties, { role: "doc-footnote", "epub:type": "footnote" });
        break;
      case "div":
        // e-readers do not scroll sideways
        element.properties = { id: properties.id };
        break;
      case "hr":
        properties.className = ["ornament"];
        break;
      case "th":
      case "td":
        // HTML has dropped this attribute
        if (properties.align) properties.className = [`align-${properties.align}`];
        delete properties.align;
        break;
      case "p":
        if (isImageAlone(element)) properties.className = ["picture"];
    }
    return undefined;
  });
  const [first] = tree.children;
  if (first?.type === "element" && first.tagName === "p" && !first.properties.className) {
    first.properties.className =
      textOf(first).length >= MIN_DROP_CAP_TEXT && /^[“‘„"']?\p{Lu}/u.test(textOf(first))
        ? ["opening", "drop-cap"]
        : ["opening"];
  }
  const xml = toXast(tree) as { children: XmlContent[] };
  for (const node of xml.children) {
    // the surrounding page declares it
    if (node.type === "element") delete node.attributes.xmlns;
  }
  return xml.children;
}

async function imageFiles(
  tree: Root,
  { imageFile }: BookReferences,
): Promise<Map<string, string | null>> {
  const sources = new Set<string>();
  visit(tree, "element", ({ tagName, properties }) => {
    if (tagName === "img") sources.add(String(properties.src));
  });
  const files = new Map<string, string | null>();
  for (const source of sources) {
    const name = source.startsWith(MEDIA_PATH) ? source.slice(MEDIA_PATH.length) : null;
    files.set(source, name === null ? null : await imageFile(name));
  }
  return files;
}

/** Returns the description of an image whose format e-readers need not support. */
function imageLeftOut(description: string): ElementContent {
  return {
    type: "element",
    tagName: "span",
    properties: { className: ["left-out"] },
    children: [{ type: "text", value: `[On the website, a picture: ${description}]` }],
  };
}

function isImageAlone({ children }: Element): boolean {
  const [only, ...others] = children.filter(
    (child) => child.type !== "text" || child.value.trim() !== "",
  );
  return others.length === 0 && only?.type === "element" && only.tagName === "img";
}

function rewriteLink(
  element: Element,
  ids: ReadonlySet<string>,
  { siteUrl, texts }: BookReferences,
): void {
  const { properties } = element;
  const href = String(properties.href ?? "");
  const classes = Array.isArray(properties.className) ? properties.className : [];
  if (href.startsWith("#")) {
    if (!ids.has(href.slice(1))) unlink(element);
    else if (classes.includes("footnote-ref")) properties["epub:type"] = "noteref";
    else if (classes.includes("footnote-number")) properties.role = "doc-backlink";
    return;
  }
  if (!URL.canParse(href, siteUrl)) {
    unlink(element);
    return;
  }
  const url = new URL(href, siteUrl);
  const text = url.origin === new URL(siteUrl).origin ? texts.get(url.pathname) : undefined;
  const block = Number(/^#p([1-9]\d*)$/.exec(url.hash)?.[1]);
  properties.href = text
    ? text.file + (block <= text.blockCount ? url.hash : "")
    : strictAddress(url);
}

/** Escapes what browsers accept in an address and RFC 3986 does not. */
function strictAddress({ href }: URL): string {
  return href
    .replace(/%(?![0-9a-f]{2})/gi, "%25")
    .replace(/[^\w.~:/?#@!$&'()*+,;=%-]/g, encodeURIComponent)
    .replace(/(?<=#.*)#/g, "%23");
}

/** Keeps the words of a link that has no target. */
function unlink(element: Element): void {
  element.tagName = "span";
  element.properties = {};
}
