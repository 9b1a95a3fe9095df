import { setImmediate as nextTurn } from "node:timers/promises";
import { visit } from "unist-util-visit";
import type { Comment, Element } from "xast";
import { toXml } from "xast-util-to-xml";

/** Characters that XML 1.0 cannot represent, such as control characters and lone surrogates. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Elements written before yielding to the event loop. */
const BATCH = 50;

/** Returns an XML document with this root; with `isPage`, an XHTML page. Drops characters that XML cannot represent. */
export function xmlDocument(root: Element, { isPage = false } = {}): string {
  const doctype = isPage ? "<!DOCTYPE html>\n" : "";
  return `<?xml version="1.0" encoding="UTF-8"?>\n${doctype}${xmlOf(root)}\n`;
}

/** Creates a placeholder for a list of elements, which `fillIn` writes. */
export const listOf = (name: string): Comment => ({ type: "comment", value: name });

/** Fills in a document's lists. Yields to the event loop, since a list may have thousands of elements. */
export async function fillIn(
  xml: string,
  lists: Record<string, Iterable<Element>>,
): Promise<string> {
  let filled = xml;
  for (const [name, elements] of Object.entries(lists)) {
    const parts: string[] = [];
    for (const element of elements) {
      parts.push(xmlOf(element));
      if (parts.length % BATCH === 0) await nextTurn();
    }
    filled = filled.replace(`<!--${name}-->`, () => parts.join(""));
  }
  return filled;
}

/** Maps lazily: creates each element when it is requested. */
export function* lazily<From>(
  all: readonly From[],
  elementOf: (each: From, index: number) => Element,
): Generator<Element> {
  for (const [index, each] of all.entries()) yield elementOf(each, index);
}

function xmlOf(root: Element): string {
  visit(root, (node) => {
    if (node.type === "text") node.value = node.value.replace(NOT_XML, "");
    if (node.type !== "element") return;
    for (const [name, value] of Object.entries(node.attributes)) {
      node.attributes[name] = value?.replace(NOT_XML, "");
    }
  });
  // the serializer keeps `]]>`, which XML forbids in text
  return toXml(root, { closeEmptyElements: true }).replaceAll("]]>", "]]&gt;");
}
