import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { env } from "~/env.server";
import { clientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";

/** Headers in which proxies say who asked. This program reads the first, which all of them can write. */
const FORWARDING_HEADERS = ["x-forwarded-for", "forwarded", "x-real-ip"];

/** Where a proxy of one's own connects from that is only counted: this machine or a private network. */
const NEAR = new Set(["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"]);

/** How often the same advice is given, in milliseconds, since any visitor can bring it about. */
const ADVICE_INTERVAL_MS = 3_600_000;

/**
 * The address a request came from: the socket's, or behind the proxies of TRUST_PROXY the one they report.
 * With a number n it is the one the n-th proxy from here wrote, if the socket's address is a private one;
 * with networks the last one that is in none of them. What a client writes into X-Forwarded-For itself
 * stands further left and is not believed.
 */
export function clientAddress(request: IncomingMessage): string {
  const socket = request.socket.remoteAddress ?? "unknown";
  const proxies = env().TRUST_PROXY;
  const forwarded = request.headers["x-forwarded-for"];
  if (!isProxy(socket, proxies)) {
    adviseAboutUnbelieved(request, socket);
    return socket;
  }
  if (forwarded === undefined) return socket;
  const reported = [forwarded].flat().join(",").split(",");
  return typeof proxies === "number"
    ? (addressIn(reported.at(-proxies) ?? "") ?? socket)
    : lastOutside(reported, proxies, socket);
}

/** Whether somebody who connects from an address may say for whom. */
function isProxy(address: string, proxies: number | readonly string[]): boolean {
  if (proxies === 0 || isIP(address) === 0) return false;
  const parsed = ipaddr.process(address);
  if (typeof proxies === "number") return NEAR.has(parsed.range());
  return proxies.some((network) => {
    const [start, bits] = network.includes("/")
      ? ipaddr.parseCIDR(network)
      : [ipaddr.parse(network), ipaddr.parse(network).toByteArray().length * 8];
    return start.kind() === parsed.kind() && parsed.match(start, bits);
  });
}

/** Follows a chain of proxies from here outwards, as long as each of them is one of ours. */
function lastOutside(reported: string[], proxies: readonly string[], socket: string): string {
  let nearest = socket;
  for (const written of reported.reverse()) {
    const address = addressIn(written);
    if (address === null) break;
    nearest = address;
    if (!isProxy(address, proxies)) break;
  }
  return nearest;
}

/** The address a proxy wrote down, with or without a port; null for what is none. */
function addressIn(written: string): string | null {
  const text = written.trim();
  if (isIP(text)) return text;
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? "";
  return isIP(address) ? address : null;
}

let advisedAt = Number.NEGATIVE_INFINITY;

/**
 * Somebody says who asked and is not believed: either a proxy that the operator forgot to name, so that
 * all visitors share one limit, or somebody who tries to get round the limits.
 */
function adviseAboutUnbelieved(request: IncomingMessage, address: string): void {
  const header = FORWARDING_HEADERS.find((name) => request.headers[name] !== undefined);
  if (header === undefined || Date.now() - advisedAt < ADVICE_INTERVAL_MS) return;
  advisedAt = Date.now();
  const { narrow } = clientNetworks(address);
  const advice =
    env().TRUST_PROXY === 0
      ? "TRUST_PROXY is not set. Behind a proxy set it, or all visitors share one limit"
      : "TRUST_PROXY does not cover where it came from. If that is your proxy, name its address there";
  log().warn(
    { header, network: narrow },
    `a header that names a visitor's address is not believed: ${advice}; otherwise somebody made it up, and nothing is to be done. Told once an hour.`,
  );
}
