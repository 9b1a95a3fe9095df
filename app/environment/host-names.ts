import { isIP } from "node:net";
import ipaddr from "ipaddr.js";

/** Whether a host, as a URL or HOST writes it, is this machine itself and nobody else's to reach. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(name)) return ipaddr.process(name).range() === "loopback";
  return name === "localhost" || name.endsWith(".localhost");
}

/**
 * Whether a host is reached over networks of others: a public address, or a name with a dot that is not
 * one of those kept for private networks. A single word is a container's or a neighbour's name.
 */
export function isRemoteHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "").toLowerCase();
  if (isIP(name)) return ipaddr.process(name).range() === "unicast";
  if (!name.includes(".") || name.startsWith("/") || isLoopbackHost(name)) return false;
  return !/\.(internal|local|lan|localdomain|home\.arpa|test)$/.test(name);
}

/** The host of a PostgreSQL address, or the folder of its Unix socket; never what stands before the @. */
export function databaseHost(url: string): string {
  const { hostname, searchParams } = new URL(url);
  return decodeURIComponent(hostname) || searchParams.get("host") || "localhost";
}
