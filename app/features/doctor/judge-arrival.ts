import { type AreaFinding, ok, problem, warning } from "./finding";
import type { Arrival } from "./probe.server";

/**
 * What is wrong with the proxies in front, going by what of a request with a forged X-Forwarded-For reached the site:
 * a proxy either adds an address to the header or replaces it. A CDN is known by the headers of the answer.
 */
export function judgeArrival(
  arrival: Arrival,
  publicUrl: string,
  headers: AnswerHeaders = {},
): AreaFinding[] {
  const { protocol, host } = new URL(publicUrl);
  const isEncrypted = protocol === "https:";
  return [
    judgeHost(arrival, host),
    behindCdn(judgeClient(arrival, isEncrypted), arrival, headers),
    ...(isEncrypted && arrival.protocol === "http" ? [HALF_ENCRYPTED] : []),
  ];
}

type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Cloudflare's, CloudFront's and Azure's headers, and Fastly's, whose name others use too. */
const isFromCdn = (headers: AnswerHeaders) =>
  ["cf-ray", "x-amz-cf-id", "x-azure-ref"].some((name) => headers[name] !== undefined) ||
  /^cache-/.test(String(headers["x-served-by"]));

/**
 * CDNs add the visitor's address to the header. If one address is all that arrives, the proxy behind the CDN has replaced
 * them by whoever asked it, which is the CDN, unless it was told to believe it.
 */
function behindCdn(
  finding: AreaFinding,
  { addresses, hasForged }: Arrival,
  headers: AnswerHeaders,
): AreaFinding {
  if (finding.level !== "ok" || addresses !== 1 || hasForged || !isFromCdn(headers)) return finding;
  return warning(
    finding.what,
    "a CDN is in front, but one address arrives: if it is the CDN's, its visitors count as one",
    "Let the proxy trust the CDN's networks (Caddy: trusted_proxies; nginx: set_real_ip_from and real_ip_header), if it does not.",
  );
}

/** The site itself goes by PUBLIC_URL, whatever X-Forwarded-Proto says. */
const HALF_ENCRYPTED = warning(
  "protocol",
  "the proxy was asked by http (X-Forwarded-Proto): something in front of it ends TLS",
  "If that is a CDN, let it ask the proxy by https, or what visitors send travels unencrypted between them.",
);

function judgeHost(arrival: Arrival, host: string): AreaFinding {
  const what = "Host";
  if (arrival.host.toLowerCase().replace(/:(80|443)$/, "") === host) return ok(what, "passed on");
  return problem(
    what,
    `the proxy asks the site for '${arrival.host}' instead of '${host}'`,
    `Let the proxy pass the visitor's Host on (nginx: 'proxy_set_header Host ${host.includes(":") ? "$http_host" : "$host"};').`,
  );
}

function judgeClient(arrival: Arrival, isEncrypted: boolean): AreaFinding {
  const { addresses, hasForged, client, peer, isPeerTrusted, proxies } = arrival;
  const what = "visitors' addresses";
  const added = addresses - (hasForged ? 1 : 0);
  const effect = client === "forged" ? "visitors can forge theirs" : "all visitors count as one";
  const addHeader =
    "Let the proxy add it (nginx: 'proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;')";
  if (proxies === 0) {
    if (added > 0) {
      const found = `${count(added)} in front, but TRUST_PROXY is 0: all visitors count as one`;
      return problem(what, found, `Set TRUST_PROXY=${added}, and restart the site.`);
    }
    if (!isEncrypted) return ok(what, "no proxy in front");
    const found = "the proxy does not report them: all visitors count as one";
    return problem(what, found, `${addHeader}, then set TRUST_PROXY=1 and restart the site.`);
  }
  if (!isPeerTrusted) {
    if (added === 0 && !isEncrypted) {
      return problem(
        what,
        "TRUST_PROXY is set, but no proxy is in front",
        "Set TRUST_PROXY=0, and restart the site.",
      );
    }
    const found = `TRUST_PROXY does not include the proxy, which connects from ${peer}: all visitors count as one`;
    const advice =
      proxies === null
        ? `Add ${peer} to TRUST_PROXY, and restart the site.`
        : `Set TRUST_PROXY=${peer}, and restart the site.`;
    return problem(what, found, advice);
  }
  if (added === 0) {
    const found = `nobody reports them in X-Forwarded-For: ${effect}`;
    return problem(
      what,
      found,
      `${addHeader}; without a proxy, set TRUST_PROXY=0 and restart the site.`,
    );
  }
  if (proxies === null) return ok(what, `reported by ${count(added)}`);
  if (proxies !== added) {
    const found = `${count(added)} in front, but TRUST_PROXY is ${proxies}: ${effect}`;
    return problem(what, found, `Set TRUST_PROXY=${added}, and restart the site.`);
  }
  return ok(what, `reported by ${count(added)}`);
}

function count(proxies: number): string {
  return proxies === 1 ? "1 proxy" : `${proxies} proxies`;
}
