import type { CardOutcome } from "../engine/customer-cards";
import type { Sandbox } from "../engine/sandbox";
import {
  BANK_ACCOUNT,
  type BankAccount,
  type CardEntry,
  groupDigits,
  isTestCard,
  readCard,
  TEST_CARDS,
  type TestCard,
} from "../engine/test-cards";
import type { Form } from "../http/form";
import { type Html, html } from "./html";
import { layout, type PageResponse } from "./layout";

/** The alternatives to entering a card number, by the value of the field `payment`. */
const QUICK_CHOICES = [...Object.keys(TEST_CARDS), BANK_ACCOUNT];

type CardFormState = { choice: string; entry: CardEntry };

/** Returns the initial card form, filled in with a card that pays. `now` is in Unix seconds. */
export function initialCardForm(now: number): CardFormState {
  const year = new Date(now * 1000).getUTCFullYear() + 5;
  return {
    choice: "card",
    entry: { number: "4242 4242 4242 4242", expiry: `12 / ${year % 100}`, cvc: "123" },
  };
}

/** The fields of a card form. `delayed` offers the bank account too. */
export function cardFields(state: CardFormState, delayed: boolean, hasProblem: boolean): Html {
  const choices = QUICK_CHOICES.filter((value) => delayed || value !== BANK_ACCOUNT);
  const checked = (value: string) => value === state.choice && html` checked`;
  const problem = hasProblem && html` aria-invalid="true" aria-describedby="problem"`;
  return html`<div class="field"><label for="number">Card number</label>
<input type="text" id="number" name="number" value="${state.entry.number}" inputmode="numeric" autocomplete="off"${problem}></div>
<div class="pair">
<div class="field"><label for="expiry">Expiry</label>
<input type="text" id="expiry" name="expiry" value="${state.entry.expiry}" placeholder="MM / YY" inputmode="numeric" autocomplete="off"></div>
<div class="field"><label for="cvc">CVC</label>
<input type="text" id="cvc" name="cvc" value="${state.entry.cvc}" inputmode="numeric" autocomplete="off"></div>
</div>
<fieldset>
<legend>Pay with</legend>
<label class="choice"><input type="radio" name="payment" value="card"${checked("card")}><span>The card above</span></label>
${choices.map(
  (value) =>
    html`<label class="choice"><input type="radio" name="payment" value="${value}"${checked(value)}><span>${isTestCard(value) ? TEST_CARDS[value].label : "A bank account that settles later"}<span class="soft">${isTestCard(value) ? groupDigits(value) : "The control page decides whether the money arrives."}</span></span></label>`,
)}
</fieldset>`;
}

/**
 * Returns the chosen card or account, or the message to show. `state` is for showing the form again, without a number
 * that is not a test card's.
 */
export function readCardForm(
  form: Form,
  delayed: boolean,
  now: number,
): { state: CardFormState } & ({ instrument: TestCard | BankAccount } | { problem: string }) {
  const choice = textOf(form.payment) || "card";
  const entry: CardEntry = {
    number: textOf(form.number),
    expiry: textOf(form.expiry),
    cvc: textOf(form.cvc),
  };
  const digits = entry.number.replace(/[\s-]/g, "");
  const state: CardFormState = {
    choice,
    entry: { ...entry, number: isTestCard(digits) ? groupDigits(digits) : "" },
  };
  if (choice !== "card") {
    if (choice === BANK_ACCOUNT && delayed) return { state, instrument: BANK_ACCOUNT };
    if (isTestCard(choice)) return { state, instrument: choice };
    return { state: initialCardForm(now), problem: "Choose what to pay with." };
  }
  const card = readCard(entry, now);
  return "card" in card ? { state, instrument: card.card } : { state, problem: card.problem };
}

/** Returns a form field's text; empty for anything else. */
export function textOf(value: Form[string] | undefined): string {
  return typeof value === "string" ? value.trim() : "";
}

export type FormView = { state?: CardFormState; problem?: string | null };

/** Returns the title prefix `Error: ` for a page with a problem. */
export const errorMark = ({ problem }: FormView) => (problem ? "Error: " : "");

/** Returns the error message above a form. */
export function problemAlert(problem: string | null | undefined): Html | null {
  return problem ? html`<p role="alert" id="problem">${problem}</p>` : null;
}

/** The 3-D Secure page of a payment. */
export function authenticationPage(action: string, amount: string): PageResponse {
  return {
    page: layout(
      "3-D Secure",
      html`<div class="card">
<h1>3-D Secure</h1>
<p>Your bank wants to be sure that it is you who pays ${amount}. This page stands in for the bank's own.</p>
<form method="post" action="${action}">
<div class="actions">
<button type="submit" name="answer" value="complete">Complete authentication</button>
<button type="submit" name="answer" value="fail" class="plain">Fail authentication</button>
</div>
</form>
</div>`,
    ),
  };
}

/** A page where a customer enters another card. */
export type CardPage = {
  sandbox: Sandbox;
  /** The id of the invoice or portal session that awaits 3-D Secure. */
  id: string;
  show(view: FormView): string;
  /** Uses the card for the page's purpose. */
  use(card: TestCard, authenticated: boolean): CardOutcome;
  authenticate: PageResponse;
  done: PageResponse;
};

/** Uses the card of a submitted form, after 3-D Secure if the card requires it. */
export function submitCard({ sandbox, ...page }: CardPage, form: Form): PageResponse {
  const entry = readCardForm(form, false, sandbox.now());
  const again = (problem: string) => ({ page: page.show({ state: entry.state, problem }) });
  if ("problem" in entry) return again(entry.problem);
  if (entry.instrument === BANK_ACCOUNT) return again("Choose a card.");
  const outcome = page.use(entry.instrument, false);
  if (outcome.kind === "declined") return again(outcome.message);
  if (outcome.kind === "complete") return page.done;
  sandbox.state.authentications.set(page.id, { card: entry.instrument, email: null });
  sandbox.changed();
  return page.authenticate;
}

/** Passes or fails the 3-D Secure authentication that a card page awaits. */
export function submitAuthentication({ sandbox, ...page }: CardPage, form: Form): PageResponse {
  const waiting = sandbox.state.authentications.get(page.id);
  if (!waiting) return { page: page.show({}) };
  sandbox.state.authentications.delete(page.id);
  sandbox.changed();
  if (textOf(form.answer) !== "complete") {
    return { page: page.show({ problem: "We are unable to authenticate your card." }) };
  }
  page.use(waiting.card, true);
  return page.done;
}
