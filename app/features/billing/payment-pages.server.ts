import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { paymentPageOrigins } from "./stripe-origins.server";

/**
 * Why a browser is not sent to an address that Stripe's API gave; null when it is. Its origin is whatever
 * Stripe says; only the way there has to be as safe as the way to the API.
 */
export function refusedPaymentPage(url: string | null): string | null {
  if (url === null || !URL.canParse(url)) return "The payment page has no address.";
  const { protocol, origin } = new URL(url);
  const { STRIPE } = env();
  const isPlainAllowed = STRIPE?.apiBase?.startsWith("http:") ?? false;
  if (protocol !== "https:" && !(protocol === "http:" && isPlainAllowed)) {
    return "The payment page is not encrypted.";
  }
  tellOfUnnamed(origin);
  return null;
}

/** Origins the operator has been told of. */
const told = new Set<string>();

/** Stripe has few domains for one account; beyond that something else is wrong, and has been told. */
const MAX_TOLD = 10;

function tellOfUnnamed(origin: string): void {
  if (told.has(origin) || told.size >= MAX_TOLD || paymentPageOrigins().includes(origin)) return;
  told.add(origin);
  log().warn(
    { origin },
    `Stripe's pages have a domain that the settings do not name: set STRIPE_CUSTOM_DOMAIN=${new URL(origin).host}`,
  );
}
