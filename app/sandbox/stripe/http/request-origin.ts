import type { IncomingMessage } from "node:http";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Makes a check of a request's Host: it must be a loopback name or one of `names`, with any port, since a
 * container may publish another one. This is against DNS rebinding: a foreign page that points its own
 * name here would count as the sandbox's own, which moves clocks and gives membership away.
 */
export function hostCheck(names: () => string[]): (request: IncomingMessage) => boolean {
  return ({ rawHeaders, headers }) => {
    const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name));
    const host = headers.host ?? "";
    const name = host.replace(/:\d*$/, "").toLowerCase();
    return hosts.length === 1 && name !== "" && (LOOPBACK.test(name) || names().includes(name));
  };
}

/**
 * Whether a browser sent the request from a page of another origin; another port is one. Browsers say so
 * in Sec-Fetch-Site, older ones in the Origin of whatever changes something; other clients send neither.
 */
export function isCrossOrigin({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, host } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
