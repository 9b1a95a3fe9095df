/** The outcome of charging a card or account. */
export type ChargeOutcome =
  | { kind: "paid" }
  | { kind: "declined"; code: string; declineCode: string; message: string }
  | { kind: "authentication" }
  | { kind: "processing" };

type CardBehavior = {
  brand: "visa" | "mastercard";
  label: string;
  /** The outcome when charged on-session. */
  present: ChargeOutcome;
  /** The outcome when charged off-session, at a renewal. */
  absent: ChargeOutcome;
};

const paid: ChargeOutcome = { kind: "paid" };
const authentication: ChargeOutcome = { kind: "authentication" };
const declined = (
  declineCode: string,
  message = "Your card was declined.",
  code = "card_declined",
): ChargeOutcome => ({ kind: "declined", code, declineCode, message });

const both = (outcome: ChargeOutcome) => ({ present: outcome, absent: outcome });

/**
 * The supported subset of Stripe's test cards (https://docs.stripe.com/testing). Unlike Stripe's, 4000 0000 0000 0341
 * pays the first time, so a failing renewal can be tested from the checkout page on.
 */
export const TEST_CARDS = {
  "4242424242424242": { brand: "visa", label: "Pays", ...both(paid) },
  "5555555555554444": { brand: "mastercard", label: "Pays", ...both(paid) },
  "4000000000000002": {
    brand: "visa",
    label: "Is declined",
    ...both(declined("generic_decline")),
  },
  "4000000000009995": {
    brand: "visa",
    label: "Has insufficient funds",
    ...both(declined("insufficient_funds", "Your card has insufficient funds.")),
  },
  "4000000000000069": {
    brand: "visa",
    label: "Has expired",
    ...both(declined("expired_card", "Your card has expired.", "expired_card")),
  },
  "4000000000000127": {
    brand: "visa",
    label: "Has another CVC",
    ...both(declined("incorrect_cvc", "Your card's security code is incorrect.", "incorrect_cvc")),
  },
  "4000002500003155": {
    brand: "visa",
    label: "Asks for 3-D Secure once",
    present: authentication,
    absent: paid,
  },
  "4000002760003184": {
    brand: "visa",
    label: "Asks for 3-D Secure at every payment",
    ...both(authentication),
  },
  "4000000000000341": {
    brand: "visa",
    label: "Pays now, is declined at renewals",
    present: paid,
    absent: declined("generic_decline"),
  },
} as const satisfies Record<string, CardBehavior>;

export type TestCard = keyof typeof TEST_CARDS;

/** The delayed payment method: a bank account that the tester settles or fails. */
export const BANK_ACCOUNT = "bank_account";
export type BankAccount = typeof BANK_ACCOUNT;

/** Returns the outcome of a charge; `present` means on-session. */
export function chargeOutcome(instrument: TestCard | BankAccount, present: boolean): ChargeOutcome {
  if (instrument === BANK_ACCOUNT) return { kind: "processing" };
  return present ? TEST_CARDS[instrument].present : TEST_CARDS[instrument].absent;
}

export type CardEntry = { number: string; expiry: string; cvc: string };

/**
 * Returns the test card entered, or the message to show. Only test card numbers are accepted, so a real one is never
 * stored. `now` is in Unix seconds.
 */
export function readCard(entry: CardEntry, now: number): { card: TestCard } | { problem: string } {
  const number = entry.number.replace(/[\s-]/g, "");
  if (number === "") return { problem: "Your card number is incomplete." };
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    return { problem: "Your card number is invalid." };
  }
  const [, month, year] = /^(\d{1,2})\s*\/\s*(?:20)?(\d{2})$/.exec(entry.expiry.trim()) ?? [];
  if (month === undefined || year === undefined || Number(month) < 1 || Number(month) > 12) {
    return { problem: "Your card's expiration date is incomplete." };
  }
  if (Date.UTC(2000 + Number(year), Number(month)) / 1000 <= now) {
    return { problem: "Your card's expiration date is in the past." };
  }
  if (!/^\d{3,4}$/.test(entry.cvc.trim())) {
    return { problem: "Your card's security code is incomplete." };
  }
  if (!isTestCard(number)) {
    return {
      problem:
        "Your card was declined. This is a test page: it takes test card numbers only, and no real card.",
    };
  }
  return { card: number };
}

/** Whether a number is a supported test card's. */
export function isTestCard(number: string): number is TestCard {
  return Object.hasOwn(TEST_CARDS, number);
}

/** Formats `4242424242424242` as `4242 4242 4242 4242`. */
export function groupDigits(card: string): string {
  return card.replace(/(\d{4})(?=\d)/g, "$1 ");
}

function passesLuhn(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
