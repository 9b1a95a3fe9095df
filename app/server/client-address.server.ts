import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "~/env.server";
import { clientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";

/** Headers in which proxies report the client's address. Only the first is read; every proxy can send it. */
const FORWARDING_HEADERS = ["x-forwarded-for", "forwarded", "x-real-ip"];

/**
 * Address ranges from which a proxy is trusted when TRUST_PROXY is a number: this machine and private
 * networks.
 */
const PROXY_RANGES = new Set([
  "loopback",
  "private",
  "uniqueLocal",
  "linkLocal",
  "carrierGradeNat",
]);

/** How often the warning is logged at most, in milliseconds, since any visitor can trigger it. */
const WARNING_INTERVAL_MS = 3_600_000;

/**
 * The address a request came from: the socket's, or the one that the proxies of TRUST_PROXY report. For a number n,
 * that is the address added by the n-th proxy from this server, provided the socket's address is private. For a list
 * of networks, it is the last address outside all of them. Entries that the client itself puts into X-Forwarded-For
 * are further left and ignored.
 */
export function clientAddress(request: IncomingMessage): string {
  const socket = withoutZone(request.socket.remoteAddress ?? "unknown");
  const proxies = env().TRUST_PROXY;
  const forwarded = request.headers["x-forwarded-for"];
  if (!isProxy(socket, proxies)) {
    warnAboutUntrustedHeader(request, socket);
    return socket;
  }
  if (forwarded === undefined) return socket;
  const reported = [forwarded].flat().join(",").split(",");
  return typeof proxies === "number"
    ? (addressIn(reported.at(-proxies) ?? "") ?? socket)
    : lastUntrusted(reported, proxies, socket);
}

/** The peer of a request's connection, and whether it is trusted to report the client's address. */
export function describeConnection({ socket }: IncomingMessage): {
  peer: string;
  isPeerTrusted: boolean;
} {
  const address = withoutZone(socket.remoteAddress ?? "unknown");
  return {
    // without the IPv4-mapped form of dual-stack sockets, as TRUST_PROXY takes it
    peer: ipaddr.isValid(address) ? ipaddr.process(address).toString() : address,
    isPeerTrusted: isProxy(address, env().TRUST_PROXY),
  };
}

/** Whether a peer at this address is trusted to report the client's address. */
function isProxy(address: string, proxies: number | readonly string[]): boolean {
  if (proxies === 0 || isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (typeof proxies === "number") return PROXY_RANGES.has(parsed.range());
  return proxies.some((network) => {
    const [start, bits] = network.includes("/")
      ? ipaddr.parseCIDR(network)
      : [ipaddr.parse(network), ipaddr.parse(network).toByteArray().length * 8];
    return start.kind() === parsed.kind() && parsed.match(start, bits);
  });
}

/** Walks the chain of proxies outwards from this server while each hop is trusted. */
function lastUntrusted(reported: string[], proxies: readonly string[], socket: string): string {
  let nearest = socket;
  for (const written of reported.reverse()) {
    const address = addressIn(written);
    if (address === null) break;
    nearest = address;
    if (!isProxy(address, proxies)) break;
  }
  return nearest;
}

/** Parses an address as reported by a proxy, with or without a port; null if it is not one. */
function addressIn(written: string): string | null {
  const text = written.trim();
  const address = isIP(text)
    ? text
    : (/^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? "");
  return isIP(address) ? withoutZone(address) : null;
}

/**
 * Without the zone of an IPv6 address (RFC 4007, 11), which names a network interface and not the client. Node accepts
 * any text as a zone; ipaddr.js throws at some.
 */
function withoutZone(address: string): string {
  const zone = address.indexOf("%");
  return zone === -1 ? address : address.slice(0, zone);
}

let warnedAt = Number.NEGATIVE_INFINITY;

/**
 * Warns about a forwarding header from an untrusted peer. Either TRUST_PROXY lacks a proxy, so that all its visitors
 * share one limit, or a client tries to evade the limits.
 */
function warnAboutUntrustedHeader(request: IncomingMessage, address: string): void {
  const header = FORWARDING_HEADERS.find((name) => request.headers[name] !== undefined);
  if (header === undefined || Date.now() - warnedAt < WARNING_INTERVAL_MS) return;
  warnedAt = Date.now();
  const { narrow } = clientNetworks(address);
  const advice =
    env().TRUST_PROXY === 0
      ? "TRUST_PROXY is not set. If this site is behind a proxy, set it, or all visitors share one limit"
      : "TRUST_PROXY does not include the sender. If that is your proxy, add its address";
  log().warn(
    { header, network: narrow },
    `ignored a forwarding header from an untrusted address: ${advice}; otherwise the client forged it, and there is nothing to do. Logged at most once an hour.`,
  );
}
