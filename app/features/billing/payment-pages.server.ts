import { type AppLoadContext, redirect } from "@remix-run/node";
import { env } from "~/env.server";
import { rejectForm } from "~/http/form-answer.server";
import { waitMessage } from "~/http/rate-limits.server";
import type { FormBody } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { checkoutErrors, toasts } from "~/toast-messages";

/** Origins Stripe's checkout and portal have by themselves. */
const STRIPE_PAGES = ["https://checkout.stripe.com", "https://billing.stripe.com"];

/**
 * The origins a page's forms may lead to: those of Stripe's pages, the domains the author gave them
 * (https://docs.stripe.com/payments/checkout/custom-domains), or the sandbox's.
 */
export function paymentPageOrigins(): string[] {
  const { STRIPE, SANDBOX, STRIPE_CUSTOM_DOMAIN } = env();
  if (SANDBOX) return [SANDBOX.origin];
  if (!STRIPE) return [];
  return [
    ...STRIPE_PAGES,
    // another origin that speaks Stripe's API hands out its own pages
    ...(STRIPE.apiBase ? [STRIPE.apiBase] : []),
    ...(STRIPE_CUSTOM_DOMAIN ?? []).map((domain) => `https://${domain.toLowerCase()}`),
  ];
}

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
const MOST_TOLD = 10;

function tellOfUnnamed(origin: string): void {
  if (told.has(origin) || told.size >= MOST_TOLD || paymentPageOrigins().includes(origin)) return;
  told.add(origin);
  log().warn(
    { origin },
    `Stripe's pages have a domain that the settings do not name: set STRIPE_CUSTOM_DOMAIN=${new URL(origin).host}`,
  );
}

/**
 * The answer to a form that sends a browser to a payment page. Chromium follows a redirect after a form only
 * to origins in the page's policy (https://www.w3.org/TR/CSP3/#directive-form-action), and stays silently where
 * it is otherwise; to any other origin leads a page of its own, which needs no script.
 */
export function leaveForPayment(url: string): Response {
  const headers = { "Cache-Control": "no-store" };
  if (paymentPageOrigins().includes(new URL(url).origin)) {
    return redirect(url, { status: 303, headers });
  }
  const address = url.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="refresh" content="0;url=${address}">
<title>Redirecting...</title>
</head>
<body><p><a href="${address}">Go on to the payment page</a></p></body>
</html>
`;
  return new Response(page, {
    headers: { ...headers, "Content-Type": "text/html; charset=utf-8" },
  });
}

/** Turns away for now, with a 429, who has asked for payment pages too often. */
export function rejectPayment(
  form: Pick<FormBody, "wantsJson">,
  seconds: number,
  context: AppLoadContext,
): Promise<Response> {
  const error = waitMessage(seconds);
  const toast = toasts.checkoutFailed(checkoutErrors.invoking(error));
  return rejectForm(
    form,
    { toast, redirectTo: "/", body: { error } },
    { status: 429, seconds, context },
  );
}
