import { type Answer, ok, problem, warning } from "./answer";
import type { Arrival } from "./probe.server";

/**
 * Judges the proxies by how a request with a forged X-Forwarded-For reached the site. A proxy either appends to the
 * header or replaces it. A CDN is recognized by the response's headers.
 */
export function judgeArrival(
  arrival: Arrival,
  publicUrl: string,
  headers: AnswerHeaders = {},
): Answer[] {
  const { protocol, host } = new URL(publicUrl);
  const isEncrypted = protocol === "https:";
  return [
    judgeHost(arrival, host),
    behindCdn(judgeClient(arrival, isEncrypted), arrival, headers),
    ...(isEncrypted && arrival.protocol === "http" ? [HALF_ENCRYPTED] : []),
  ];
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Headers of Cloudflare, CloudFront and Azure; and Fastly's, whose name others use too. */
const isFromCdn = (headers: AnswerHeaders) =>
  ["cf-ray", "x-amz-cf-id", "x-azure-ref"].some((name) => headers[name] !== undefined) ||
  /^cache-/.test(String(headers["x-served-by"]));

/**
 * CDNs add the visitor's address to the header. If only one address arrives, the proxy behind the CDN has replaced it
 * with its client's. That is the CDN's address, unless the proxy trusts the CDN.
 */
function behindCdn(
  finding: Answer,
  { addresses, hasForged }: Arrival,
  headers: AnswerHeaders,
): Answer {
  if (finding.level !== "ok" || addresses !== 1 || hasForged || !isFromCdn(headers)) return finding;
  return warning(
    finding.what,
    "a CDN is in front, but one address arrives: if it is the CDN's, its visitors count as one",
    "Let the proxy trust the CDN's networks (Caddy: trusted_proxies; nginx: set_real_ip_from and real_ip_header), if it does not.",
  );
}

/** The site itself uses the protocol of PUBLIC_URL, whatever X-Forwarded-Proto says. */
const HALF_ENCRYPTED = warning(
  "protocol",
  "the proxy was asked by http (X-Forwarded-Proto): something in front of it ends TLS",
  "If that is a CDN, let it ask the proxy by https, or what visitors send travels unencrypted between them.",
);

function judgeHost(arrival: Arrival, host: string): Answer {
  const what = "Host";
  if (arrival.host.toLowerCase().replace(/:(80|443)$/, "") === host) return ok(what, "passed on");
  return problem(
    what,
    `the proxy asks the site for '${arrival.host}' instead of '${host}'`,
    `Let the proxy pass the visitor's Host on (nginx: 'proxy_set_header Host ${host.includes(":") ? "$http_host" : "$host"};').`,
  );
}

function judgeClient(arrival: Arrival, isEncrypted: boolean): Answer {
  const { addresses, hasForged, client, peer, isPeerTrusted, proxies } = arrival;
  const what = "visitors' addresses";
  const added = addresses - (hasForged ? 1 : 0);
  const count = added === 1 ? "1 proxy" : `${added} proxies`;
  const effect = client === "forged" ? "visitors can forge theirs" : "all visitors count as one";
  const addHeader =
    "Let the proxy add it (nginx: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;')";
  const wrong = (found: string, advice: string) =>
    problem(what, found, `${advice} and restart the site.`);
  if (proxies === 0 && added > 0) {
    const found = `${count} in front, but TRUST_PROXY is 0: all visitors count as one`;
    return wrong(found, `Set TRUST_PROXY=${added},`);
  }
  if (proxies === 0) {
    if (!isEncrypted) return ok(what, "no proxy in front");
    const found = "the proxy does not report them: all visitors count as one";
    return wrong(found, `${addHeader}, then set TRUST_PROXY=1`);
  }
  if (!isPeerTrusted) {
    if (added === 0 && !isEncrypted) {
      return wrong("TRUST_PROXY is set, but no proxy is in front", "Set TRUST_PROXY=0,");
    }
    const found = `TRUST_PROXY does not include the proxy, which connects from ${peer}: all visitors count as one`;
    return wrong(
      found,
      proxies === null ? `Add ${peer} to TRUST_PROXY,` : `Set TRUST_PROXY=${peer},`,
    );
  }
  if (added === 0) {
    const found = `no proxy reports them in X-Forwarded-For: ${effect}`;
    return wrong(found, `${addHeader}; without a proxy, set TRUST_PROXY=0`);
  }
  if (proxies !== null && proxies !== added) {
    const found = `${count} in front, but TRUST_PROXY is ${proxies}: ${effect}`;
    return wrong(found, `Set TRUST_PROXY=${added},`);
  }
  return ok(what, `reported by ${count}`);
}
