import { randomUUID } from "node:crypto";
import { idInToken, isIdSigned, signId } from "~/http/signed-id.server";

const QUESTION = "doctor's question";
const ANSWER = "doctor's answer";

/** How long a probe is valid, in milliseconds. */
const LIFE_MS = 10 * 60_000;

/** The address the doctor claims, reserved for documentation (RFC 5737). Believing it means believing any header. */
export const FORGED_ADDRESS = "192.0.2.77";

/** How a request reached the site. Only a caller with the site's secret can read it. */
export type Arrival = {
  /** The Host header. */
  host: string;
  /** X-Forwarded-Proto; null without one. */
  protocol: string | null;
  /** Number of addresses in X-Forwarded-For. */
  addresses: number;
  /** Whether the first of them was the forged one. */
  hasForged: boolean;
  /** What the site takes for the client: the forged address, another one in the header, or the connection's. */
  client: "forged" | "reported" | "connection";
  /** Where the connection came from; behind a proxy, the proxy's address. */
  peer: string;
  /** Whether TRUST_PROXY trusts that address. */
  isPeerTrusted: boolean;
  /** TRUST_PROXY of the site that answered; null if it lists networks. */
  proxies: number | null;
};

/** Creates a probe that needs the site's secret: a query for `/healthz`, and a reader for the answer. */
export function askSigned(now = Date.now()): {
  query: string;
  read: (text: string) => Arrival | null;
} {
  const id = randomUUID();
  const token = signId(QUESTION, id, String(now));
  return {
    query: `?probe=${token}&at=${now}`,
    read: (text) => {
      try {
        const { signature, ...arrival } = JSON.parse(text);
        const isOurs = idInToken(signature) === id && isIdSigned(ANSWER, signature);
        return isOurs ? (arrival as Arrival) : null;
      } catch {
        return null;
      }
    },
  };
}

/** Returns the signed answer to a probe; null if the probe has expired or was not signed with the site's secret. */
export function answerSigned(
  parameters: URLSearchParams,
  arrival: () => Arrival,
  now = Date.now(),
): string | null {
  const token = parameters.get("probe");
  const at = parameters.get("at") ?? "";
  const isFresh = /^\d{1,15}$/.test(at) && Math.abs(now - Number(at)) < LIFE_MS;
  const id = idInToken(token);
  if (!isFresh || id === null || !isIdSigned(QUESTION, token, at)) return null;
  return JSON.stringify({ signature: signId(ANSWER, id), ...arrival() });
}

/** Summarizes a request's forwarding headers and what the site concludes from them. */
export function describeArrival(
  headers: { get(name: string): string | null },
  {
    client,
    peer,
    isPeerTrusted,
    proxies,
  }: {
    client: string;
    peer: string;
    isPeerTrusted: boolean;
    proxies: number | readonly string[];
  },
): Arrival {
  const reported = (headers.get("X-Forwarded-For") ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
  const counted = client === FORGED_ADDRESS ? "forged" : "reported";
  return {
    host: headers.get("Host") ?? "",
    protocol: headers.get("X-Forwarded-Proto"),
    addresses: reported.length,
    hasForged: reported[0] === FORGED_ADDRESS,
    client: isPeerTrusted && reported.length > 0 ? counted : "connection",
    peer,
    isPeerTrusted,
    proxies: typeof proxies === "number" ? proxies : null,
  };
}
