import { env } from "~/env.server";

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/i;

/** The form of a Host header that is worth parsing. */
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(:\d{0,5})?$/i;

let own = { publicUrl: "", protocol: "", host: "" };

/** The protocol and host that requests are compared with. */
export function ownSite(): { protocol: string; host: string } {
  const { PUBLIC_URL: publicUrl } = env();
  if (own.publicUrl !== publicUrl) {
    const { protocol, host } = new URL(publicUrl);
    own = { publicUrl, protocol, host };
  }
  return own;
}

/** Whether a Host header names this site as PUBLIC_URL does. */
export function isOwnHost(host: string): boolean {
  const { host: ownHost } = ownSite();
  if (host === ownHost) return true;
  // a local machine has several loopback names
  if (LOOPBACK.test(ownHost) && LOOPBACK.test(host)) return true;
  // host names are case-insensitive and the default port may be omitted
  return parsed(host)?.host === ownHost;
}

/** Whether a Host header names this site by one of its aliases, on any port. */
export function isAlias(host: string): boolean {
  const name = parsed(host)?.hostname;
  return name !== undefined && env().PUBLIC_ALIASES.has(name);
}

function parsed(host: string): URL | null {
  const address = `${ownSite().protocol}//${host}`;
  return HOST.test(host) && URL.canParse(address) ? new URL(address) : null;
}
