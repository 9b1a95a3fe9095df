import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Both, since Node accepts zones in IPv6 addresses that ipaddr.js rejects. */
const isAddress = (name: string) => isIP(name) !== 0 && ipaddr.isValid(name);

/** Whether a host, as written in a URL or HOST, is reachable from this machine only. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isAddress(name)) return ipaddr.process(name).range() === "loopback";
  return name === "localhost" || name.endsWith(".localhost");
}

/**
 * Whether a host is reached over public networks: a public address, or a name with a dot outside the domains
 * reserved for private networks. A single label is a container or a host on the local network.
 */
export function isRemoteHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isAddress(name)) return ipaddr.process(name).range() === "unicast";
  if (!name.includes(".") || name.startsWith("/") || isLoopbackHost(name)) return false;
  return !/\.(internal|local|lan|localdomain|home\.arpa|test)$/.test(name);
}

/**
 * The name of a site with `www.` before it, or without if it has one; null for an address or a name that has none,
 * such as `localhost`.
 */
export function wwwCounterpart(host: string): string | null {
  if (isIP(host) || host.startsWith("[") || !host.includes(".") || isLoopbackHost(host))
    return null;
  if (!host.startsWith("www.")) return `www.${host}`;
  const bare = host.slice("www.".length);
  return bare.includes(".") ? bare : null;
}
