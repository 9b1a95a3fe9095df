import type { IncomingHttpHeaders } from "node:http";

/**
 * The Headers of a message that is being received. They are asked for by name, mostly, and are looked up as Node has read them;
 * what else Headers can do makes copies of them all first, which takes as long as a fifteenth of a post
 * (docs/decisions/0042-posts-without-the-router.md).
 */
export class IncomingHeaders extends Headers {
  #received: IncomingHttpHeaders | null;

  constructor(received: IncomingHttpHeaders) {
    super();
    this.#received = received;
  }

  override get(name: string): string | null {
    return this.#received ? findValue(this.#received, name) : super.get(name);
  }

  override has(name: string): boolean {
    return this.#received ? findValue(this.#received, name) !== null : super.has(name);
  }

  override append(name: string, value: string): void {
    this.#copy();
    super.append(name, value);
  }

  override set(name: string, value: string): void {
    this.#copy();
    super.set(name, value);
  }

  override delete(name: string): void {
    this.#copy();
    super.delete(name);
  }

  override getSetCookie(): string[] {
    this.#copy();
    return super.getSetCookie();
  }

  override forEach(
    callback: (value: string, name: string, parent: Headers) => void,
    thisArgument?: unknown,
  ): void {
    this.#copy();
    super.forEach(callback, thisArgument);
  }

  override keys() {
    this.#copy();
    return super.keys();
  }

  override values() {
    this.#copy();
    return super.values();
  }

  override entries() {
    this.#copy();
    return super.entries();
  }

  override [Symbol.iterator]() {
    return this.entries();
  }

  #copy() {
    const received = this.#received;
    if (!received) return;
    this.#received = null;
    for (const name of Object.keys(received)) {
      const value = findValue(received, name);
      if (value !== null) super.append(name, value);
    }
  }
}

/** Of the headers that a client sends, Node keeps but `Set-Cookie`, which is meant for clients, as a list. */
function findValue(received: IncomingHttpHeaders, name: string): string | null {
  const value = received[name.toLowerCase()];
  if (Array.isArray(value)) return value.join(", ");
  // neither is what every object has, such as `constructor`
  return typeof value === "string" ? value : null;
}
