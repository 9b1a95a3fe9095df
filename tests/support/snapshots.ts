import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright";

/**
 * Snapshots of pages taken in one browser, for all browsers to lay out: a state that takes a visit, a click and
 * a payment is set up only once. Scripts are removed, so that nothing changes it; styles, fonts and pictures come
 * from the running site.
 */
export class Snapshots {
  readonly #pages = new Map<string, string>();
  readonly #assets = new Map<string, Promise<{ type: string; body: Buffer }>>();
  readonly #server: Server;

  constructor(readonly siteOrigin: string) {
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? "/";
      const page = path === EMPTY ? "<!doctype html><title>Empty</title>" : this.#pages.get(path);
      if (page !== undefined) {
        return response.setHeader("Content-Type", "text/html; charset=utf-8").end(page);
      }
      const { type, body } = await this.#asset(path);
      response.setHeader("Content-Type", type).setHeader("Cache-Control", "max-age=3600");
      response.end(body);
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, "localhost", done));
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  /** The URL of an empty page, in which snapshots are shown. */
  get empty(): string {
    return this.#origin + EMPTY;
  }

  /** Stores a snapshot of a page; returns its URL. */
  async take(page: Page, name: string): Promise<string> {
    return this.add(name, await page.evaluate(serialize));
  }

  /** Serves a page; returns its URL. */
  add(name: string, html: string): string {
    this.#pages.set(`/snapshots/${name}`, html);
    return `${this.#origin}/snapshots/${name}`;
  }

  get #origin(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  #asset(path: string) {
    const asset =
      this.#assets.get(path) ??
      fetch(this.siteOrigin + path).then(async (answer) => ({
        type: answer.headers.get("Content-Type") ?? "",
        body: Buffer.from(await answer.arrayBuffer()),
      }));
    this.#assets.set(path, asset);
    return asset;
  }
}

const EMPTY = "/snapshots/";

/** Runs in the page: its document with the current values and open menus, and without scripts. */
function serialize(): string {
  for (const field of document.querySelectorAll("input")) field.setAttribute("value", field.value);
  const copy = document.documentElement.cloneNode(true) as HTMLElement;
  for (const script of copy.querySelectorAll("script, noscript, link[rel*=preload]")) {
    script.remove();
  }
  // it would take the focus and scroll
  for (const field of copy.querySelectorAll("[autofocus]")) field.removeAttribute("autofocus");
  return `<!doctype html>${copy.outerHTML}`;
}
