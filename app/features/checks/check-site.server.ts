import { env } from "~/env.server";
import { isLoopbackHost } from "~/environment/host-names";
import { hasSessionSecret } from "~/http/session-secrets.server";
import { type Answer, ok, problem, warning } from "./answer";
import { judgeArrival } from "./judge-arrival";
import {
  addressesOf,
  ask,
  askAnywhere,
  codeOf,
  MAX_ADDRESSES,
  type Network,
  type Reply,
} from "./network.server";
import { type Arrival, askSigned, FORGED_ADDRESS } from "./probe.server";
import { failureAnswer } from "./site-failure";

/** Maximum number of aliases checked; no site has as many. */
const MAX_ALIASES = 5;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days before expiry by which a certificate of usual length is always renewed. */
const RENEWED_DAYS = 14;

/** A certificate that is valid for a few days is renewed in its last third. Half of that is late. */
const RENEWED_SHARE = 1 / 6;

/** Requests PUBLIC_URL as a visitor would, and checks DNS, certificate, proxies and redirects. */
export async function checkSite(network: Network): Promise<Answer[]> {
  const { PUBLIC_URL } = env();
  const isLocal = isLoopbackHost(new URL(PUBLIC_URL).hostname);
  const [isRunning, answers, redirects] = await Promise.all([
    answersOnOwnPort(network),
    askByPublicUrl(network),
    checkRedirects(network),
  ]);
  if (typeof answers !== "string") return [...answers, ...redirects];
  const advice = "Start the site, and check its log.";
  return [
    ...(isRunning || isLocal ? [] : [problem("program", "does not answer on its port", advice)]),
    failureAnswer(PUBLIC_URL, answers, isRunning, isLocal),
  ];
}

/** Whether the site answers on its own port here. systemd's socket or another container may own that port. */
async function answersOnOwnPort(network: Network): Promise<boolean> {
  const { OWN_HOST, PORT } = env();
  const url = new URL(`http://${OWN_HOST}:${PORT}/healthz`);
  // the port is this machine's, whatever the network
  return ask(url, url.hostname.replace(/^\[|\]$/g, ""), { ...network, portFor: undefined }).then(
    ({ status, text }) => status === 200 && text === "ok\n",
    () => false,
  );
}

/** Returns the answers about PUBLIC_URL; if nothing responds there, the code of the most telling error. */
async function askByPublicUrl(network: Network): Promise<Answer[] | string> {
  const { PUBLIC_URL } = env();
  const { hostname } = new URL(PUBLIC_URL);
  const found = await addressesOf(hostname, network).catch(codeOf);
  if (typeof found === "string") return found;
  const addresses = found.slice(0, MAX_ADDRESSES);
  // without a secret no site has run here yet, and this check must not create one
  const { query, read } = hasSessionSecret() ? askSigned() : { query: "", read: () => null };
  const url = new URL(`/healthz${query}`, PUBLIC_URL);
  const outcomes = await Promise.all(
    addresses.map((address) =>
      ask(url, address, network, { "X-Forwarded-For": FORGED_ADDRESS }).then(
        (reply) => ({ address, reply, code: null }),
        (error: unknown) => ({ address, reply: null, code: codeOf(error) }),
      ),
    ),
  );
  const reply = outcomes.find(({ reply }) => reply !== null)?.reply;
  const silent = outcomes.filter(({ address, code }) => code && !hasNoRoute(address, code));
  if (!reply) return (silent[0] ?? outcomes[0])?.code ?? "ENOTFOUND";
  // configured name servers replace /etc/hosts, so there is nothing to warn about
  const aside = network.nameServers ? null : judgeAddresses(hostname, addresses);
  return [
    ...judgeReply(reply, read(reply.text)),
    // listening on only one loopback address is intended
    ...(isLoopbackHost(hostname) ? [] : silent).map(({ address, code }) =>
      problem(
        "DNS",
        `${hostname} also leads to ${address}, where nothing answers (${code})`,
        `Delete that ${address.includes(":") ? "AAAA" : "A"} record, or let the site answer there: some visitors get there first.`,
      ),
    ),
    ...(aside ? [aside] : []),
    ...(reply.certificate ? [judgeCertificate(reply.certificate)] : []),
  ];
}

/** Whether a connection failed because this machine has no route to that address family; others may have one. */
export function hasNoRoute(address: string, code: string): boolean {
  if (code === "ENETUNREACH" || code === "EADDRNOTAVAIL") return true;
  // for IPv4, EHOSTUNREACH also means a host of the local network that is down
  return code === "EHOSTUNREACH" && address.includes(":");
}

/** Returns a warning if a public name resolves to this machine, as by /etc/hosts, while visitors use DNS; else null. */
export function judgeAddresses(hostname: string, addresses: readonly string[]): Answer | null {
  const isLoopback = (address: string) => address === "::1" || address.startsWith("127.");
  if (isLoopbackHost(hostname) || !addresses.every(isLoopback)) return null;
  return warning(
    "DNS",
    `${hostname} leads to this machine itself here (${addresses[0]}), as by /etc/hosts: its DNS record was not checked`,
    "Open the site from another network, or remove the name from /etc/hosts and run 'doctor' again.",
  );
}

/** Checks that a certificate is renewed in time. */
export function judgeCertificate(
  { valid_from, valid_to }: { valid_from: string; valid_to: string },
  now = Date.now(),
): Answer {
  const end = Date.parse(valid_to);
  const days = Math.floor((end - now) / DAY_MS);
  const enough = Math.min(RENEWED_DAYS * DAY_MS, (end - Date.parse(valid_from)) * RENEWED_SHARE);
  const found = `valid for ${days} more ${days === 1 ? "day" : "days"}`;
  if (end - now >= enough) return ok("certificate", found);
  const advice =
    "Renew it, and check the renewal program's log for why it wasn't renewed automatically.";
  return problem("certificate", `${found}, and not renewed`, advice);
}

/** Judges the response, and what it says about the proxies. */
function judgeReply({ status, headers, text }: Reply, arrival: Arrival | null): Answer[] {
  const { PUBLIC_URL } = env();
  const what = "PUBLIC_URL";
  if (arrival) {
    return [ok(what, `${PUBLIC_URL} answers`), ...judgeArrival(arrival, PUBLIC_URL, headers)];
  }
  if (headers["cf-mitigated"] === "challenge") {
    const found = `${PUBLIC_URL} can't be checked: Cloudflare challenges browsers (status ${status})`;
    const advice =
      "Let /healthz pass without a challenge (a rule of Cloudflare's that skips it), and run 'doctor' again.";
    return [warning(what, found, advice)];
  }
  if (status === 502 || status === 503 || status === 504) {
    const found = `${PUBLIC_URL} answers ${status}: the proxy is running, but doesn't reach the site`;
    const advice =
      "Start the site. If it's running, let the proxy pass requests on to its HOST and PORT.";
    return [problem(what, found, advice)];
  }
  if (status >= 300 && status < 400) {
    const target = originOf(headers.location) ?? "nowhere";
    const advice =
      target === PUBLIC_URL
        ? "The proxy redirects to itself: tell it, or a CDN in front, that visitors use https."
        : `Set PUBLIC_URL=${target} and restart the site, or let the proxy pass requests on instead.`;
    return [problem(what, `${PUBLIC_URL} redirects to ${target}`, advice)];
  }
  if (status === 200 && text === "ok\n") {
    const found = `${PUBLIC_URL} answers, but with another secret or data, or as an older release`;
    const advice =
      "Run 'doctor' with the variables of the site, SESSION_SECRET and DATA_DIR above all, and as the same release.";
    return [problem(what, found, advice)];
  }
  const found = `another site answers at ${PUBLIC_URL} (status ${status})`;
  const advice = "Correct the DNS record, or the proxy's configuration for this name.";
  return [problem(what, found, advice)];
}

/** Checks that http and the aliases redirect to PUBLIC_URL. */
async function checkRedirects(network: Network): Promise<Answer[]> {
  const { PUBLIC_URL, PUBLIC_ALIASES } = env();
  const { protocol, hostname, port } = new URL(PUBLIC_URL);
  if (protocol !== "https:" || port !== "") return [];
  const aliases = [...PUBLIC_ALIASES].slice(0, MAX_ALIASES);
  const answers = await Promise.all([
    checkHttp(new URL(`http://${hostname}/`), network),
    ...aliases.map((alias) => checkAlias(new URL(`https://${alias}/`), network)),
  ]);
  return answers.filter((answer) => answer !== null);
}

async function checkHttp(url: URL, network: Network): Promise<Answer> {
  const what = "http";
  try {
    const reply = await askAnywhere(url, network);
    if (redirectsToSite(reply)) return ok(what, "redirects to https");
    const found = `${url.origin} does not lead to https (status ${reply.status})`;
    return problem(what, found, "Let the proxy redirect port 80 to https: docs/deploying.md.");
  } catch (error) {
    const found = `nothing answers at ${url.origin} (${codeOf(error)})`;
    return warning(what, found, "Let the proxy answer on port 80 too, with a redirect to https.");
  }
}

async function checkAlias(url: URL, network: Network): Promise<Answer | null> {
  const what = url.hostname;
  try {
    const reply = await askAnywhere(url, network);
    if (redirectsToSite(reply)) return ok(what, "redirects");
    const found = `does not redirect to PUBLIC_URL (status ${reply.status})`;
    return warning(what, found, "Let the proxy pass this name on to the site, which redirects it.");
  } catch (error) {
    const code = codeOf(error);
    // an unregistered name need not redirect
    if (/^(ENOTFOUND|ENODATA|EAI_AGAIN|ETIMEOUT)$/.test(code)) return null;
    const advice = /^(CERT|ERR_TLS|DEPTH|SELF|UNABLE)/.test(code)
      ? "Get a certificate that has this name too."
      : "Let the proxy answer for this name too, or delete its DNS record.";
    return warning(what, `has a DNS record, but cannot be opened (${code})`, advice);
  }
}

function redirectsToSite({ status, headers }: Reply): boolean {
  return status >= 300 && status < 400 && originOf(headers.location) === env().PUBLIC_URL;
}

const originOf = (location: unknown) =>
  URL.canParse(String(location)) ? new URL(String(location)).origin : null;
