import type { IncomingMessage } from "node:http";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Returns a check of a request's Host: a loopback name or one of `names`, with any port, because a container may
 * publish another one. Prevents DNS rebinding, by which a foreign page could move clocks and grant membership.
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
 * Whether a browser sent the request from a page of another origin, which includes another port. Browsers send
 * Sec-Fetch-Site, older ones Origin; other clients send neither.
 */
export function isCrossOrigin({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, host } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
