import { type Answer, problem, warning } from "./answer";

/** What is wrong, and the advice. */
type Cause = readonly [cause: string, advice: string];

const UNRESOLVED: Cause = [
  "the name has no DNS record",
  "Give the name an A record that leads to this server, or correct PUBLIC_URL.",
];
const UNTRUSTED: Cause = [
  "browsers do not trust the certificate's authority",
  "Get a certificate from an authority that browsers trust, such as Let's Encrypt.",
];
const INCOMPLETE: Cause = [
  "the proxy sends no certificate chain that ends in a known authority",
  "Let the proxy send the full chain (fullchain.pem), or get a certificate that browsers trust.",
];
const UNENCRYPTED: Cause = [
  "what listens there does not speak TLS",
  "Configure TLS in the proxy at that port, as docs/deploying.md has it.",
];
const UNREACHED: Cause = [
  "nothing answers there",
  "Let the DNS record lead to this server, and open the port in the firewall.",
];
const REFUSED: Cause = ["nothing listens there", "Start the proxy, and the site behind it."];
const CUT: Cause = ["what listens there closes the connection", "Check the proxy's log."];
const NAME_SERVERS = "Check its name servers (/etc/resolv.conf).";

const CAUSES: Record<string, Cause> = {
  ENOTFOUND: UNRESOLVED,
  ENODATA: UNRESOLVED,
  ESERVFAIL: [
    "the name's DNS zone is broken",
    "Look at the zone with your DNS provider; DNSSEC may be half set up.",
  ],
  EAI_AGAIN: ["this machine cannot resolve names", NAME_SERVERS],
  ETIMEOUT: ["this machine's name servers do not answer", NAME_SERVERS],
  ECONNREFUSED: REFUSED,
  ECONNRESET: CUT,
  EPIPE: CUT,
  EHOSTUNREACH: UNREACHED,
  ENETUNREACH: UNREACHED,
  ETIMEDOUT: UNREACHED,
  CERT_HAS_EXPIRED: [
    "the certificate has expired",
    "Renew it, and check the renewal program's log for why it wasn't renewed automatically.",
  ],
  CERT_NOT_YET_VALID: [
    "the certificate is not valid yet",
    "Set this machine's clock; if it is right, get another certificate.",
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    "the certificate is for another name",
    "Get a certificate for the name in PUBLIC_URL.",
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE,
  UNABLE_TO_GET_ISSUER_CERT: INCOMPLETE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE,
  EPROTO: UNENCRYPTED,
  ERR_SSL_WRONG_VERSION_NUMBER: UNENCRYPTED,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: UNENCRYPTED,
  ERR_SSL_HTTP_REQUEST: UNENCRYPTED,
  HPE_INVALID_CONSTANT: [
    "what listens there does not speak http",
    "Another program has that port: stop it, or let the proxy have the port.",
  ],
};

const UNKNOWN: Cause = ["it can't be checked", "Open it in a browser, and check the proxy's log."];

/**
 * Explains why PUBLIC_URL could not be reached. It is only a warning if the site answers on its own port and just the
 * route from here fails. Many home networks block that route, or it leads to this container instead of its machine.
 */
export function failureAnswer(
  publicUrl: string,
  code: string,
  isRunning: boolean,
  isLocal: boolean,
): Answer {
  const what = "PUBLIC_URL";
  const [cause, advice] = CAUSES[code] ?? UNKNOWN;
  const found = `${publicUrl}: ${cause} (${code})`;
  if (isLocal && CAUSES[code] === REFUSED) {
    if (!isRunning) return problem(what, found, "Start the site.");
    const local =
      "If it opens in a browser on the machine itself, only this container can't reach it. Otherwise, start the proxy.";
    return warning(what, `${found}, but the site runs`, local);
  }
  if (isRunning && CAUSES[code] === UNREACHED) {
    const outside = `If it opens in a browser elsewhere, only this network can't reach its own address. Otherwise: ${advice}`;
    return warning(what, `${found}, but the site runs`, outside);
  }
  return problem(what, found, advice);
}
