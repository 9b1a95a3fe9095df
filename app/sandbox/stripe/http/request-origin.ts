import type { IncomingMessage } from "node:http";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Tells whether a request names this sandbox: one of the machine's loopback names or of `names`, whatever
 * the port, which a container may publish as another one. A page elsewhere can lead its own name here (DNS
 * rebinding), and would then count as the sandbox's own page, which moves clocks and gives membership away.
 */
export function ownHosts(names: () => string[]): (request: IncomingMessage) => boolean {
  return ({ rawHeaders, headers }) => {
    const hosts = rawHeaders.filter((name, i) => i % 2 === 0 && /^host$/i.test(name));
    const host = headers.host ?? "";
    const name = host.replace(/:\d*$/, "").toLowerCase();
    return hosts.length === 1 && name !== "" && (LOOPBACK.test(name) || names().includes(name));
  };
}

/**
 * Whether a browser sends the request from a page of another origin; a neighbouring port is one. Only
 * browsers say so, and all of them do with what changes something: in Sec-Fetch-Site, else in Origin.
 */
export function isCrossOrigin({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site !== "same-origin" && site !== "none";
  const { origin, host } = headers;
  return origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host);
}
