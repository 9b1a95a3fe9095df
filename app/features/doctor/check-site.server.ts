import { env } from "~/env.server";
import { isLoopbackHost } from "~/environment/host-names";
import { hasSessionSecret } from "~/http/session-secrets.server";
import { judgeCertificate } from "./certificate";
import { type AreaFinding, ok, problem, warning } from "./finding";
import { hasNoRoute, judgeAddresses } from "./judge-addresses";
import { judgeArrival } from "./judge-arrival";
import {
  type Answer,
  addressesOf,
  ask,
  askAnywhere,
  codeOf,
  MAX_ADDRESSES,
  type Network,
} from "./network.server";
import { askSigned, FORGED_ADDRESS } from "./probe.server";
import { failureFinding } from "./site-failure";

/** Aliases checked at most; more than a site has. */
const MAX_ALIASES = 5;

/** Asks the site by PUBLIC_URL, as a visitor would: its name, certificate, proxies, redirects. */
export async function checkSite(network: Network): Promise<AreaFinding[]> {
  const { PUBLIC_URL } = env();
  const [own, asked, redirects] = await Promise.all([
    answersOnOwnPort(network),
    askByPublicUrl(network),
    checkRedirects(network),
  ]);
  if (asked.kind === "failed") {
    const isLocal = isLoopbackHost(new URL(PUBLIC_URL).hostname);
    const finding = failureFinding(PUBLIC_URL, asked.code, own, isLocal);
    return !own && !isLocal
      ? [
          problem("program", "does not answer on its port", "Start the site, and look at its log."),
          finding,
        ]
      : [finding];
  }
  return [...asked.findings, ...redirects];
}

/** Whether the site answers on its own port of this machine; a socket of systemd's or another container may have it. */
async function answersOnOwnPort(network: Network): Promise<boolean> {
  const { OWN_HOST, PORT } = env();
  const url = new URL(`http://${OWN_HOST}:${PORT}/healthz`);
  // the port is this machine's, whatever the network
  return ask(url, url.hostname.replace(/^\[|\]$/g, ""), { ...network, portFor: undefined }).then(
    ({ status, text }) => status === 200 && text === "ok\n",
    () => false,
  );
}

type Asked = { kind: "failed"; code: string } | { kind: "answered"; findings: AreaFinding[] };

async function askByPublicUrl(network: Network): Promise<Asked> {
  const { PUBLIC_URL } = env();
  const { hostname } = new URL(PUBLIC_URL);
  let addresses: string[];
  try {
    addresses = (await addressesOf(hostname, network)).slice(0, MAX_ADDRESSES);
  } catch (error) {
    return { kind: "failed", code: codeOf(error) };
  }
  // without a secret no site has run here yet, and asking must not make one
  const { query, read } = hasSessionSecret() ? askSigned() : { query: "", read: () => null };
  const url = new URL(`/healthz${query}`, PUBLIC_URL);
  const outcomes = await Promise.all(
    addresses.map((address) =>
      ask(url, address, network, { "X-Forwarded-For": FORGED_ADDRESS }).then(
        (answer) => ({ address, answer, code: null }),
        (error: unknown) => ({ address, answer: null, code: codeOf(error) }),
      ),
    ),
  );
  const answer = outcomes.find(({ answer }) => answer !== null)?.answer;
  if (!answer) {
    const telling = outcomes.find(({ address, code }) => code && !hasNoRoute(address, code));
    return { kind: "failed", code: (telling ?? outcomes[0])?.code ?? "ENOTFOUND" };
  }
  const silent = outcomes.filter(
    ({ address, code }) =>
      // listening on one loopback address alone is intended
      !isLoopbackHost(hostname) && code !== null && !hasNoRoute(address, code),
  );
  const findings = [...judgeAnswer(answer, read(answer.text))];
  for (const { address, code } of silent) {
    const record = address.includes(":") ? "AAAA" : "A";
    findings.push(
      problem(
        "DNS",
        `${hostname} also leads to ${address}, where nobody answers (${code})`,
        `Delete that ${record} record, or let the site answer there: some visitors get there first.`,
      ),
    );
  }
  // a name server that was asked is the DNS
  const aside = network.nameServers ? null : judgeAddresses(hostname, addresses);
  if (aside) findings.push(aside);
  if (answer.certificate) findings.push(judgeCertificate(answer.certificate));
  return { kind: "answered", findings };
}

/** What answered, and what it says about the proxies. */
function judgeAnswer(
  { status, headers, text }: Answer,
  arrival: ReturnType<ReturnType<typeof askSigned>["read"]>,
): AreaFinding[] {
  const { PUBLIC_URL } = env();
  const what = "PUBLIC_URL";
  if (arrival)
    return [ok(what, `${PUBLIC_URL} answers`), ...judgeArrival(arrival, PUBLIC_URL, headers)];
  if (headers["cf-mitigated"] === "challenge") {
    return [
      warning(
        what,
        `${PUBLIC_URL} cannot be asked: Cloudflare wants a browser to prove itself (status ${status})`,
        "Let /healthz pass without a challenge (a rule of Cloudflare's that skips it), and run 'doctor' again.",
      ),
    ];
  }
  if (status === 502 || status === 503 || status === 504) {
    const found = `${PUBLIC_URL} answers ${status}: the proxy runs, but does not reach the site`;
    return [
      problem(
        what,
        found,
        "Start the site; if it runs, let the proxy pass on to its HOST and PORT.",
      ),
    ];
  }
  if (status >= 300 && status < 400) {
    const target = URL.canParse(String(headers.location))
      ? new URL(String(headers.location)).origin
      : "nowhere";
    const found = `${PUBLIC_URL} redirects to ${target}`;
    const advice =
      target === PUBLIC_URL
        ? "The proxy redirects to itself: tell it, or a CDN in front, that visitors come by https."
        : `Set PUBLIC_URL=${target} and restart the site, or let the proxy pass requests on instead.`;
    return [problem(what, found, advice)];
  }
  if (status === 200 && text === "ok\n") {
    const found = `${PUBLIC_URL} answers, but with another secret or data, or as an older release`;
    return [
      problem(
        what,
        found,
        "Run 'doctor' with the variables of the site, SESSION_SECRET and DATA_DIR above all, and as the same release.",
      ),
    ];
  }
  return [
    problem(
      what,
      `another site answers at ${PUBLIC_URL} (status ${status})`,
      "Correct the DNS record, or the proxy's configuration for this name.",
    ),
  ];
}

/** Whether http and the aliases lead to PUBLIC_URL. */
async function checkRedirects(network: Network): Promise<AreaFinding[]> {
  const { PUBLIC_URL, PUBLIC_ALIASES } = env();
  const { protocol, hostname, port } = new URL(PUBLIC_URL);
  if (protocol !== "https:" || port !== "") return [];
  const aliases = [...PUBLIC_ALIASES].slice(0, MAX_ALIASES);
  const found = await Promise.all([
    checkHttp(new URL(`http://${hostname}/`), network),
    ...aliases.map((alias) => checkAlias(new URL(`https://${alias}/`), network)),
  ]);
  return found.filter((finding) => finding !== null);
}

async function checkHttp(url: URL, network: Network): Promise<AreaFinding | null> {
  const what = "http";
  try {
    const answer = await askAnywhere(url, network);
    if (redirectsToSite(answer)) return ok(what, "redirects to https");
    const found = `${url.origin} does not lead to https (status ${answer.status})`;
    return problem(what, found, "Let the proxy redirect port 80 to https: docs/deploying.md.");
  } catch (error) {
    const code = codeOf(error);
    const found = `nobody answers at ${url.origin} (${code})`;
    return warning(what, found, "Let the proxy answer on port 80 too, with a redirect to https.");
  }
}

async function checkAlias(url: URL, network: Network): Promise<AreaFinding | null> {
  const what = url.hostname;
  try {
    const answer = await askAnywhere(url, network);
    if (redirectsToSite(answer)) return ok(what, "redirects");
    const found = `does not redirect to PUBLIC_URL (status ${answer.status})`;
    return warning(what, found, "Let the proxy pass this name on to the site, which redirects it.");
  } catch (error) {
    const code = codeOf(error);
    // a name that nobody has registered need not redirect
    if (/^(ENOTFOUND|ENODATA|EAI_AGAIN|ETIMEOUT)$/.test(code)) return null;
    const advice = /^(CERT|ERR_TLS|DEPTH|SELF|UNABLE)/.test(code)
      ? "Get a certificate that has this name too."
      : "Let the proxy answer for this name too, or delete its DNS record.";
    return warning(what, `has a DNS record, but cannot be opened (${code})`, advice);
  }
}

function redirectsToSite({ status, headers }: Answer): boolean {
  const target = String(headers.location);
  const { PUBLIC_URL } = env();
  return (
    status >= 300 && status < 400 && URL.canParse(target) && new URL(target).origin === PUBLIC_URL
  );
}
