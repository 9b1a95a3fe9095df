import { visit } from "unist-util-visit";
import type { Element } from "xast";
import { toXml } from "xast-util-to-xml";

/** Characters that XML 1.0 cannot represent, such as control characters and lone surrogates. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Returns an XML document with this root; with `isPage`, an XHTML page. Drops characters that XML cannot represent. */
export function xmlDocument(root: Element, { isPage = false } = {}): string {
  const doctype = isPage ? "<!DOCTYPE html>\n" : "";
  return `<?xml version="1.0" encoding="UTF-8"?>\n${doctype}${xmlOf(root)}\n`;
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
