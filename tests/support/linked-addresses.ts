import type { Element, Root } from "hast";
import { fromHtml } from "hast-util-from-html";
import { toString as textOf } from "hast-util-to-string";
import { visit } from "unist-util-visit";

/** A form of a page; `fields` are the names and values it would send if nothing were entered. */
export type Form = { action: string; method: "GET" | "POST"; fields: Field[] };

type Field = { name: string; value: string; type: string };

/** A page's heading, links and forms. Addresses are absolute. */
export type PageContents = {
  /** The first h1, or the title of a page without one. */
  heading: string;
  links: string[];
  forms: Form[];
  ids: Set<string>;
};

/** Attributes that hold one address, by element; `*` for any. */
const ADDRESS_ATTRIBUTES: Record<string, string[]> = {
  a: ["href"],
  area: ["href"],
  link: ["href"],
  use: ["href", "xLinkHref"],
  "*": ["src", "poster"],
};

/** Links that only prepare a connection: their address serves nothing. */
const CONNECTIONS = new Set(["preconnect", "dns-prefetch"]);

/** Reads an HTML page at `address`, or a part of one. */
export function readPage(html: string, address: string): PageContents {
  const tree = fromHtml(html);
  const links: string[] = [];
  const forms: Form[] = [];
  const ids = new Set<string>();
  const add = (value: unknown) => {
    if (typeof value === "string") links.push(resolve(value, address));
  };
  visit(tree, "element", (element) => {
    const { tagName, properties } = element;
    if (typeof properties.id === "string") ids.add(properties.id);
    if (tagName === "link" && [properties.rel].flat().some((rel) => CONNECTIONS.has(String(rel)))) {
      return;
    }
    const names = [...(ADDRESS_ATTRIBUTES[tagName] ?? []), ...(ADDRESS_ATTRIBUTES["*"] ?? [])];
    for (const name of names) add(properties[name]);
    for (const candidate of [properties.srcSet].flat().filter(Boolean)) {
      for (const image of String(candidate).split(",")) add(image.trim().split(/\s/)[0]);
    }
    if (tagName === "meta" && isAddress(properties.content)) add(properties.content);
    // an address to be copied
    if (tagName === "input" && isAddress(properties.value)) add(properties.value);
    if (tagName === "script" && properties.type === "application/ld+json") {
      links.push(...linksInJson(JSON.parse(textOf(element)), address).filter(isAddress));
    }
    if (tagName === "form") forms.push(...formsOf(element, address));
  });
  return { heading: headingOf(tree), links, forms, ids };
}

/** The addresses in a feed, a sitemap, a style sheet or a text, as links and in running text. */
export function linksInText(text: string, address: string): string[] {
  const plain = decode(decode(text));
  const { origin } = new URL(address);
  return [
    ...plain.matchAll(/\s(?:href|src|url)="([^"]+)"/g),
    ...plain.matchAll(/\burl\(["']?([^)"']+)["']?\)/g),
    ...plain.matchAll(/\]\(([^)\s]+)\)/g),
    ...plain.matchAll(new RegExp(`(${origin}[^\\s,"'<>)\\]\\\\]*)`, "g")),
  ]
    .map(([, link = ""]) => link)
    .filter((link) => !link.startsWith("data:"))
    .map((link) => resolve(link, address));
}

/** Returns the addresses among JSON's strings: absolute ones, and paths. */
export function linksInJson(value: unknown, address: string): string[] {
  if (typeof value === "string") {
    return isAddress(value) || value.startsWith("/") ? [resolve(value, address)] : [];
  }
  if (value === null || typeof value !== "object") return [];
  // an identifier, or a vocabulary of JSON-LD, is not a link
  const parts = Object.entries(value).filter(([name]) => !name.startsWith("@"));
  return parts.flatMap(([, part]) => linksInJson(part, address));
}

function formsOf(form: Element, address: string): Form[] {
  const fields: Field[] = [];
  const actions = [form.properties.action];
  visit(form, "element", ({ tagName, properties }) => {
    const { name, value, type, formAction } = properties;
    if (formAction) actions.push(formAction);
    if (typeof name !== "string" || !["input", "textarea", "button"].includes(tagName)) return;
    fields.push({ name, value: String(value ?? ""), type: String(type ?? tagName) });
  });
  const method = /^post$/i.test(String(form.properties.method ?? "")) ? "POST" : "GET";
  return actions.map((action) => ({
    action: resolve(typeof action === "string" ? action : "", address),
    method,
    fields,
  }));
}

function headingOf(tree: Root): string {
  const found: Partial<Record<"h1" | "title", Element>> = {};
  visit(tree, "element", (element) => {
    if (element.tagName === "h1" || element.tagName === "title") found[element.tagName] ??= element;
  });
  const heading = found.h1 ?? found.title;
  return heading ? textOf(heading).replace(/\s+/g, " ").trim() : "";
}

const isAddress = (text: unknown): boolean =>
  typeof text === "string" && /^https?:\/\/\S+$/.test(text);

const resolve = (link: string, address: string) =>
  URL.canParse(link, address) ? new URL(link, address).href : link;

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };

const decode = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_all, name: string) => ENTITIES[name] ?? "");
