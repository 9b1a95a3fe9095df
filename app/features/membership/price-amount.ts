/**
 * Returns the decimals of Stripe's minor unit of a currency. Stripe's lists differ from ISO 4217 and Intl: `isk` and
 * `ugx` have no decimals but are counted in hundredths (https://docs.stripe.com/currencies#minor-units).
 */
export function minorDigits(currency: string): 0 | 2 | 3 {
  if (ZERO_DECIMAL.test(currency)) return 0;
  return THREE_DECIMAL.test(currency) ? 3 : 2;
}

/** Returns the decimals people write: none for `isk` and `ugx`, although Stripe counts two. */
export function shownDigits(currency: string): 0 | 2 | 3 {
  return WHOLE_ONLY.test(currency) ? 0 : minorDigits(currency);
}

const ZERO_DECIMAL = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/;
const THREE_DECIMAL = /^(bhd|jod|kwd|omr|tnd)$/;
const WHOLE_ONLY = /^(isk|ugx)$/;

/** Stripe's maximum (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
const MAX_DIGITS = 8;

/** A valid amount in Stripe's minor units, or what is expected instead, to complete "wanted …". */
export type ReadAmount = { unitAmount: number } | { wanted: string };

/**
 * Parses an amount such as "12.50" digit by digit, without rounding. Stripe's minimum charge is
 * not checked: it depends on the account's currency, and Stripe reports it at checkout.
 */
export function readAmount(text: string, currency: string): ReadAmount {
  const digits = minorDigits(currency);
  const [, whole, decimals = ""] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined) return { wanted: "an amount such as 12.50, above 0" };
  if (shownDigits(currency) === 0 && decimals !== "") {
    return { wanted: `an amount without decimals, since ${currency} has none` };
  }
  if (decimals.length > digits) {
    return { wanted: `an amount of at most ${digits} decimals in ${currency}` };
  }
  const minor = `${whole}${decimals.padEnd(digits, "0")}`.replace(/^0+(?=\d)/, "");
  if (minor === "0") return { wanted: "an amount above 0" };
  if (minor.length > MAX_DIGITS) return { wanted: "a smaller amount" };
  // card networks use at most two decimals, so Stripe would reject the payment
  if (digits === 3 && !minor.endsWith("0")) {
    return { wanted: `an amount whose third decimal is 0 in ${currency}` };
  }
  return { unitAmount: Number(minor) };
}

/** Formats minor units in the form `readAmount` parses: "12.50". */
export function writeAmount(unitAmount: number, currency: string): string {
  const digits = minorDigits(currency);
  const text = String(unitAmount).padStart(digits + 1, "0");
  const at = text.length - digits;
  return shownDigits(currency) === 0 ? text.slice(0, at) : `${text.slice(0, at)}.${text.slice(at)}`;
}
