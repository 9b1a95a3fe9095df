import { readdirSync } from "node:fs";
import { unzipSync } from "fflate";
import pMap from "p-map";
import { type Answer, send } from "./http-client";
import { linksInJson, linksInText, type PageContents, readPage } from "./linked-addresses";

/** A viewer of the site: its name in the table, and its cookies. */
export type CrawlViewer<Name extends string> = { name: Name; cookie: string };

/** An address, and where it was found. */
export type Link = { from: string; to: string };

/**
 * The expectation for an address: a page's heading, preceded by a status other than 200; `→ /auth` for a redirect; the
 * media type of anything but a page. A function receives the path's parameters.
 */
export type Shown = string | ((params: Record<string, string>) => string | undefined);

/** The expectation for each viewer; a single one is for all. */
export type Row<Name extends string> = Shown | Partial<Record<Name | "others", Shown>>;

type Options<Name extends string> = {
  origin: string;
  table: Record<string, Row<Name>>;
  /** The queries to search for. */
  searches: string[];
};

/** Two parameters that other sites add to links, and one that no page knows. */
const ADDED_QUERIES = ["utm_source=x&fbclid=y", "x"];

/** All but the desk's, which are unknown addresses to these viewers. */
const ROUTES = readdirSync("app/routes")
  .filter((folder) => !folder.startsWith("desk"))
  .map((folder) => pathOfRoute(folder).replace(/\*$/, "the-wrong-turn"));

/** The routes without parameters, and an address that no route has. */
export const FIXED_ROUTES = ROUTES.filter((path) => !path.includes(":"));

const PATTERNS = ROUTES.filter((path) => path.includes(":")).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/:(\w+)/g, "(?<$1>[^/]+)")}$`),
}));

/** Characters that a message quotes from the first difference on. */
const QUOTED = 80;

/** Follows the site's links as several viewers, and compares what they show with one table. */
export class Crawl<Name extends string> {
  /** Faults found: viewer, where the link was found, its address, expected and actual result. */
  readonly problems: string[] = [];
  /** The origins of other sites that are linked, and where. */
  readonly otherSites = new Map<string, string>();
  /** The addresses that forms are posted to, and where they were found. */
  readonly postedTo = new Map<string, string>();
  readonly #rows = new Set<string>();
  readonly #builtFiles = new Set<string>();
  readonly #pages = new Map<string, Map<string, PageContents | null>>();

  constructor(private readonly options: Options<Name>) {}

  /** Follows links and everything they lead to, except where this viewer has already been. */
  async follow(viewer: CrawlViewer<Name>, links: Link[]): Promise<void> {
    const pages = this.#pages.get(viewer.name) ?? new Map<string, PageContents | null>();
    this.#pages.set(viewer.name, pages);
    const fragments: Link[] = [];
    let next = links;
    while (next.length > 0) {
      const unvisited: Link[] = [];
      for (const { from, to } of next) {
        const address = this.#ownAddress(to, from);
        if (address === null) continue;
        if (to.includes("#")) fragments.push({ from, to });
        if (pages.has(address) || this.#builtFiles.has(address)) continue;
        if (new URL(address).pathname.startsWith("/build/")) this.#builtFiles.add(address);
        pages.set(address, null);
        unvisited.push({ from, to: address });
      }
      const found = await pMap(unvisited, (link) => this.#visit(viewer, link, pages), {
        concurrency: 4,
      });
      next = found.flat();
    }
    for (const { from, to } of fragments) {
      const [address = "", id = ""] = to.split("#");
      const page = pages.get(address);
      if (page && id && !page.ids.has(decodeURIComponent(id))) {
        this.#report(viewer, { from, to }, `an element with the id "${id}"`, "none");
      }
    }
  }

  /** Describes a response as the table does. */
  shown({ status, headers, text }: Answer, address: string, page?: PageContents | null): string {
    const { location, "content-type": type = "" } = headers;
    if (status >= 300 && status < 400 && location) {
      const target = new URL(location, address);
      const isOwn = target.origin === this.options.origin;
      return `→ ${isOwn ? target.href.slice(target.origin.length) : target.origin}`;
    }
    const content = isPage(type) ? (page ?? readPage(text, address)).heading : type.split(";")[0];
    return status === 200 ? String(content) : `${status} ${content}`;
  }

  /** Returns the table's expectation for a viewer. */
  expected(viewer: Name, address: string): string {
    const { place, params } = placeOf(address);
    const row = this.options.table[place];
    const isForAll = typeof row !== "object";
    const shown: Shown | undefined = isForAll ? row : (row[viewer] ?? row.others);
    if (shown === undefined) return `a row "${place}" of the table`;
    return typeof shown === "function" ? (shown(params) ?? "something published") : shown;
  }

  /** The addresses of this site that a viewer has visited. */
  visited(viewer: Name): string[] {
    return [...(this.#pages.get(viewer)?.keys() ?? [])];
  }

  /** The pages with a heading that a viewer has seen, by address. */
  pages(viewer: Name): { address: string; place: string; page: PageContents }[] {
    return [...(this.#pages.get(viewer) ?? [])].flatMap(([address, page]) =>
      page ? [{ address, place: placeOf(address).place, page }] : [],
    );
  }

  /** Returns the table's rows that no viewer has reached. */
  unreachedRows(): string[] {
    return Object.keys(this.options.table).filter((row) => !this.#rows.has(row));
  }

  /** The target of a link on this site, without its fragment; null for another site, which is not contacted. */
  #ownAddress(to: string, from: string): string | null {
    if (!URL.canParse(to)) {
      this.problems.push(`on ${from}: "${to}" is no address`);
      return null;
    }
    // the pages of a text's further blocks are alike
    if (/[?&]block=(?![12]\b)/.test(to)) return null;
    const { origin, protocol } = new URL(to);
    if (origin === this.options.origin) return to.replace(/#.*$/s, "");
    const site = protocol.startsWith("http") ? origin : protocol;
    if (protocol !== "data:" && !this.otherSites.has(site)) this.otherSites.set(site, from);
    return null;
  }

  async #visit(
    viewer: CrawlViewer<Name>,
    link: Link,
    pages: Map<string, PageContents | null>,
  ): Promise<Link[]> {
    const { to: address } = link;
    const answer = await send(address, { cookie: viewer.cookie });
    const type = answer.headers["content-type"] ?? "";
    const page = isPage(type) ? readPage(answer.text, address) : null;
    const seen = this.shown(answer, address, page);
    this.#rows.add(placeOf(address).place);
    const expected = this.expected(viewer.name, address);
    if (seen !== expected) this.#report(viewer, link, expected, seen);
    if (page && answer.text.includes("\0")) this.#report(viewer, link, "no U+0000", "one");
    if (page && answer.status === 200) pages.set(address, page);
    if (answer.headers.location || isText(type)) await this.#visitWithQueries(viewer, link, answer);
    const { pathname, search } = new URL(address);
    return this.#linksOf(answer, address, page).map((to) => ({ from: pathname + search, to }));
  }

  /** Checks that an unknown query changes nothing on a page. */
  async #visitWithQueries(
    viewer: CrawlViewer<Name>,
    { from, to: address }: Link,
    answer: Answer,
  ): Promise<void> {
    for (const query of ADDED_QUERIES) {
      const to = `${address}${address.includes("?") ? "&" : "?"}${query}`;
      const other = await send(to, { cookie: viewer.cookie });
      const [words, otherWords] = [mainText(answer), mainText(other)];
      const isSame =
        other.status === answer.status &&
        other.headers.location === answer.headers.location &&
        otherWords === words;
      if (isSame) continue;
      const at = [...words].findIndex((letter, index) => letter !== otherWords[index]);
      const without = `${this.shown(answer, address)}: ${quote(words, at)}`;
      const seen = `${this.shown(other, to)}: ${quote(otherWords, at)}`;
      this.#report(viewer, { from, to }, `${without}, as without the query`, seen);
    }
  }

  #linksOf(answer: Answer, address: string, page: PageContents | null): string[] {
    const { location, "content-type": type = "" } = answer.headers;
    if (location) return [new URL(location, address).href];
    if (answer.status !== 200) return [];
    if (page) return [...page.links, ...this.#sentByForms(page, address)];
    if (type.startsWith("application/epub+zip")) return this.#linksInBook(answer.body, address);
    if (/json/.test(type)) return linksInJson(JSON.parse(answer.text), address);
    return isText(type) ? linksInText(answer.text, address) : [];
  }

  /** Returns the addresses that a page's GET forms lead to, and records those that its forms post to. */
  #sentByForms(page: PageContents, from: string): string[] {
    return page.forms.flatMap(({ action, method, fields }) => {
      if (method === "POST") {
        if (!this.postedTo.has(action)) this.postedTo.set(action, from);
        return [];
      }
      return this.options.searches.map((words) => {
        const address = new URL(action);
        for (const { name, value, type } of fields) {
          address.searchParams.set(name, /^(?:text|search|input)$/.test(type) ? words : value);
        }
        return address.href;
      });
    });
  }

  /** Returns an EPUB's external links. Its internal links must lead to an existing file and element. */
  #linksInBook(epub: Buffer, address: string): string[] {
    const files = Object.entries(unzipSync(epub));
    const base = "book://epub/";
    const contents = new Map<string, PageContents>();
    for (const [name, bytes] of files) {
      if (!/\.(?:xhtml|opf|ncx|xml)$/.test(name)) continue;
      // a self-closing tag of XHTML is an open one in HTML
      const xml = Buffer.from(bytes).toString();
      const html = xml.replace(/<([\w:]+)((?:\s[^<>]*)?)\/>/g, "<$1$2></$1>");
      contents.set(new URL(name, base).href, readPage(html, new URL(name, base).href));
    }
    const names = new Set(files.map(([name]) => new URL(name, base).href));
    const elsewhere: string[] = [];
    for (const [file, { links }] of contents) {
      for (const link of links) {
        const [target = "", id] = link.split("#");
        if (!link.startsWith(base)) elsewhere.push(link);
        else if (!names.has(target) || (id && !contents.get(target)?.ids.has(id))) {
          this.problems.push(`on ${file} in ${address}: ${link} leads nowhere`);
        }
      }
    }
    return elsewhere;
  }

  #report({ name }: CrawlViewer<Name>, { from, to }: Link, expected: string, seen: string): void {
    const address = to.replace(this.options.origin, "");
    this.problems.push(`${name}, on ${from}: ${address} shows "${seen}", expected "${expected}"`);
  }
}

/** Returns an address's row in the table: its route's path, and the names of its query's parameters. */
function placeOf(address: string): { place: string; params: Record<string, string> } {
  const { pathname, searchParams } = new URL(address);
  const names = [...new Set(searchParams.keys())].sort().join("&");
  const query = names ? `?${names}` : "";
  if (pathname.startsWith("/build/")) {
    return { place: pathname.replace(/.*(\.\w+)$/, "/build/*$1"), params: {} };
  }
  if (FIXED_ROUTES.includes(pathname)) {
    return { place: pathname + query, params: Object.fromEntries(searchParams) };
  }
  for (const { path, pattern } of PATTERNS) {
    const groups = pattern.exec(pathname)?.groups;
    if (groups) return { place: path + query, params: groups };
  }
  return { place: pathname + query, params: {} };
}

/** A route's path by its folder's name, by Remix's convention: `premium_.chapters_.$slug`. */
function pathOfRoute(folder: string): string {
  if (folder === "_index") return "/";
  const segments = folder.split(/\.(?![^[]*\])/).map((segment) =>
    segment
      .replace(/_$/, "")
      .replace(/^\$$/, "*")
      .replace(/^\$/, ":")
      .replace(/\[(.*?)\]/g, "$1"),
  );
  return `/${segments.join("/")}`;
}

const isPage = (type: string) => type.startsWith("text/html");

/** Scripts are left out, since some of their code looks like links. */
const isText = (type: string) => type !== "text/javascript" && /^text\/|xml|json/.test(type);

/** Returns a page's main part, or another text but JSON, to compare; a data export changes every second. */
function mainText({ text, headers }: Answer): string {
  const { "content-type": type = "" } = headers;
  if (!isPage(type)) return type.startsWith("application/json") ? "" : text;
  const main = text.slice(text.indexOf("<main"), text.lastIndexOf("</main>"));
  return main
    .replace(/<script.*?<\/script>/gs, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/\s+/g, " ");
}

const quote = (text: string, at: number) => `…${text.slice(Math.max(0, at - 20), at + QUOTED)}…`;
