import { completeAuthentication, payInSession, successUrlOf } from "../engine/checkout";
import { requiresTermsConsent } from "../engine/checkout-sessions";
import { isEmail, isPresent } from "../engine/customers";
import type { Sandbox } from "../engine/sandbox";
import type { CheckoutSession } from "../engine/wire";
import type { Form } from "../http/form";
import {
  authenticationPage,
  cardFields,
  errorMark,
  type FormView,
  initialCardForm,
  problemAlert,
  readCardForm,
  textOf,
} from "./card-form";
import { html } from "./html";
import { BUSINESS_NAME, formatMoney, layout, messagePage, type PageResponse } from "./layout";

/** A session's page: the form while it is open, else its outcome. `step` is `authenticate` for 3-D Secure. */
export function checkoutPages(
  sandbox: Sandbox,
  id: string,
  step: string | undefined,
  form: Form | null,
): PageResponse {
  const session = sandbox.state.checkoutSessions.get(id);
  if (!session) {
    const page = messagePage("Something went wrong", "There is no such checkout session.");
    return { status: 404, page };
  }
  if (!isOpen(sandbox, session)) return { page: closedPage(session) };
  const home = `/c/pay/${id}`;
  if (step !== "authenticate") {
    return form ? pay(sandbox, session, form) : { page: paymentPage(sandbox, session, {}) };
  }
  if (!sandbox.state.authentications.has(id)) return { redirect: home };
  if (form === null) {
    const amount = formatMoney(session.amount_total ?? 0, session.currency ?? "usd");
    return authenticationPage(`${home}/authenticate`, amount);
  }
  const outcome = completeAuthentication(sandbox, session, textOf(form.answer) === "complete");
  if (outcome.kind === "complete") return { redirect: outcome.redirect };
  if (outcome.kind !== "declined") return { redirect: home };
  return { page: paymentPage(sandbox, session, { problem: outcome.message }) };
}

function pay(sandbox: Sandbox, session: CheckoutSession, form: Form): PageResponse {
  const entry = readCardForm(form, true, sandbox.now());
  const email = textOf(form.email);
  const again = (problem: string) => ({
    page: paymentPage(sandbox, session, { state: entry.state, problem, email }),
  });
  if (knownEmail(sandbox, session) === null && !isEmail(email)) {
    return again("Your email is incomplete.");
  }
  if (requiresTermsConsent(session) && textOf(form.terms) === "") {
    return again("Accept the terms of service to go on.");
  }
  if ("problem" in entry) return again(entry.problem);
  const outcome = payInSession(sandbox, session, {
    instrument: entry.instrument,
    email: email || null,
    code: textOf(form.promotion_code),
    authenticated: false,
  });
  if (outcome.kind === "complete") return { redirect: outcome.redirect };
  if (outcome.kind === "authentication") return { redirect: `/c/pay/${session.id}/authenticate` };
  return again(outcome.message);
}

function isOpen(sandbox: Sandbox, session: CheckoutSession): boolean {
  return session.status === "open" && session.expires_at > sandbox.now();
}

function knownEmail(sandbox: Sandbox, session: CheckoutSession): string | null {
  const customer = sandbox.state.customers.get(session.customer ?? "");
  return isPresent(customer) ? (customer.email ?? null) : null;
}

function paymentPage(
  sandbox: Sandbox,
  session: CheckoutSession,
  view: FormView & { email?: string },
): string {
  const details = sandbox.state.checkoutDetails.get(session.id);
  const price = sandbox.state.prices.get(details?.priceId ?? "");
  const product = sandbox.state.products.get(price?.product ?? "");
  const name = product?.name ?? "a subscription";
  const email = knownEmail(sandbox, session);
  const state = view.state ?? initialCardForm(sandbox.now());
  return layout(
    `${errorMark(view)}Subscribe to ${name}`,
    html`<h1>Subscribe to ${name}</h1>
<p class="price">${formatMoney(session.amount_total ?? 0, session.currency ?? "usd")} <small>per ${price?.recurring?.interval ?? "month"}</small></p>
<div class="card">
${problemAlert(view.problem)}
<form method="post" action="/c/pay/${session.id}" novalidate>
${
  email === null
    ? html`<div class="field"><label for="email">Email</label><input type="email" id="email" name="email" value="${view.email ?? ""}" autocomplete="email" required></div>`
    : html`<p>Email: <strong>${email}</strong></p>`
}
${cardFields(state, true, Boolean(view.problem))}
${
  session.allow_promotion_codes &&
  html`<div class="field"><label for="promotion_code">Promotion code</label><input type="text" id="promotion_code" name="promotion_code" autocomplete="off"></div>`
}
${
  requiresTermsConsent(session) &&
  html`<label class="choice"><input type="checkbox" name="terms" value="accepted" required><span>I agree to ${BUSINESS_NAME}'s terms of service.</span></label>`
}
<div class="actions">
<button type="submit" class="full">Subscribe</button>
${session.cancel_url && html`<a class="button plain full" href="${session.cancel_url}">Cancel</a>`}
</div>
</form>
</div>
<p class="soft">You pay ${BUSINESS_NAME} until you cancel.</p>`,
  );
}

function closedPage(session: CheckoutSession): string {
  if (session.status === "complete") {
    return messagePage(
      "You're all done here",
      "This checkout session is complete. You can close this page.",
      { href: successUrlOf(session), label: `Return to ${BUSINESS_NAME}` },
    );
  }
  return messagePage(
    "This page has expired",
    "This checkout session is no longer open. Nothing was charged.",
    session.cancel_url === null
      ? null
      : { href: session.cancel_url, label: `Return to ${BUSINESS_NAME}` },
  );
}
