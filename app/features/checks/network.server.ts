import { lookup as lookUpBySystem, Resolver } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";
import type { PeerCertificate, TLSSocket } from "node:tls";

/** Timeout of a request, in milliseconds. */
const ANSWER_MS = 8_000;

/** Timeout of a DNS query, in milliseconds. */
const LOOKUP_MS = 4_000;

/** Maximum number of addresses tried; no site's name resolves to as many. */
export const MAX_ADDRESSES = 4;

/** Maximum number of bytes read of a body; no answer to a probe is as long. */
const MAX_BODY = 8_192;

/** How the doctor reaches the network; the machine's own way by default. Tests replace it. */
export type Network = {
  /** Name servers instead of the system's, as `address:port`. */
  nameServers?: readonly string[];
  /** Certificate authorities instead of the system's, in PEM. */
  authorities?: string;
  /** Maps a port to the one to connect to. */
  portFor?: (port: number) => number;
};

/** The response to a GET, with the server's certificate. */
export type Reply = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** Null without TLS. */
  certificate: PeerCertificate | null;
};

/** Resolves a host name to its addresses, IPv4 first. Rejects with the resolver's error. */
export async function addressesOf(host: string, network: Network): Promise<string[]> {
  const name = host.replace(/^\[|\]$/g, "");
  if (isIP(name)) return [name];
  if (network.nameServers) return resolverOf(network).resolve4(name);
  const found = await lookUpBySystem(name, { all: true, order: "ipv4first" });
  return [...new Set(found.map(({ address }) => address))];
}

/** Returns a DNS resolver with short timeouts. */
export function resolverOf({ nameServers }: Network): Resolver {
  const resolver = new Resolver({ timeout: LOOKUP_MS, tries: 1 });
  if (nameServers) resolver.setServers(nameServers);
  return resolver;
}

/**
 * Requests a URL at one address of its host, without following redirects. Rejects with the error of the connection or
 * the certificate, which has a `code`.
 */
export function ask(
  url: URL,
  address: string,
  { authorities, portFor = (port) => port }: Network,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const isEncrypted = url.protocol === "https:";
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const outgoing = (isEncrypted ? requestHttps : requestHttp)({
    host: address,
    port: portFor(Number(url.port || (isEncrypted ? 443 : 80))),
    path: `${url.pathname}${url.search}`,
    headers: { Host: url.host, "User-Agent": "golden-path-doctor", ...headers },
    agent: false,
    servername: isIP(host) ? "" : host,
    ca: authorities,
  });
  return new Promise((resolve, reject) => {
    const giveUp = () =>
      outgoing.destroy(Object.assign(new Error("No answer in time."), { code: "ETIMEDOUT" }));
    const deadline = setTimeout(giveUp, ANSWER_MS);
    outgoing.once("close", () => clearTimeout(deadline));
    outgoing.once("error", reject);
    outgoing.once("response", (incoming) => {
      let text = "";
      const { statusCode: status = 0 } = incoming;
      // the socket drops the certificate when it closes
      const certificate = isEncrypted ? (incoming.socket as TLSSocket).getPeerCertificate() : null;
      const finish = () => {
        resolve({ status, headers: incoming.headers, text, certificate });
        outgoing.destroy();
      };
      incoming.setEncoding("utf8");
      incoming.on("data", (chunk: string) => {
        text += chunk;
        if (text.length > MAX_BODY) finish();
      });
      incoming.once("end", finish);
      incoming.once("error", reject);
    });
    outgoing.end();
  });
}

/** Requests a URL at its host's addresses in turn, until one responds. Rejects with the last one's error. */
export async function askAnywhere(url: URL, network: Network): Promise<Reply> {
  let failure: unknown;
  for (const address of (await addressesOf(url.hostname, network)).slice(0, MAX_ADDRESSES)) {
    try {
      return await ask(url, address, network);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

/** Returns the code of a network failure; of several attempts, that of the first. */
export function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: { code?: string }[] };
  return code ?? errors?.[0]?.code ?? "no reason given";
}
