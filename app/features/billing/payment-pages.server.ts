import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { paymentPageOrigins } from "./stripe-origins.server";

/**
 * Returns why a browser must not be redirected to a URL from Stripe's API; null if it may. Trusts any origin, but the
 * connection must be as secure as the one to the API.
 */
export function paymentPageProblem(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return "The payment page has no address.";
  const { protocol, origin } = new URL(url);
  const { STRIPE } = env();
  const isPlainAllowed = STRIPE?.apiBase?.startsWith("http:") ?? false;
  if (protocol !== "https:" && !(protocol === "http:" && isPlainAllowed)) {
    return "The payment page is not encrypted.";
  }
  warnIfUnlisted(origin);
  return null;
}

/** Origins already warned about. */
const warned = new Set<string>();

/** Maximum warnings. An account has few domains at Stripe; more mean another problem, already logged by then. */
const MAX_WARNED = 10;

function warnIfUnlisted(origin: string): void {
  if (warned.has(origin) || warned.size >= MAX_WARNED || paymentPageOrigins().includes(origin))
    return;
  warned.add(origin);
  log().warn(
    { origin },
    `Stripe's pages have a domain that the settings do not name: set STRIPE_CUSTOM_DOMAIN=${new URL(origin).host}`,
  );
}
