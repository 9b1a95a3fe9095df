/**
 * How many decimals of an amount Stripe counts as its minor unit. Stripe's own lists, not those of ISO 4217
 * or of Intl: `isk` and `ugx` have none and are still counted in hundredths
 * (https://docs.stripe.com/currencies#minor-units).
 */
export function minorDigits(currency: string): 0 | 2 | 3 {
  if (ZERO_DECIMAL.test(currency)) return 0;
  return THREE_DECIMAL.test(currency) ? 3 : 2;
}

/** How many decimals of an amount there are to see: Stripe counts `isk` and `ugx` finer than they are. */
export function shownDigits(currency: string): 0 | 2 | 3 {
  return WHOLE_ONLY.test(currency) ? 0 : minorDigits(currency);
}

const ZERO_DECIMAL = /^(bif|clp|djf|gnf|jpy|kmf|krw|mga|pyg|rwf|vnd|vuv|xaf|xof|xpf)$/;
const THREE_DECIMAL = /^(bhd|jod|kwd|omr|tnd)$/;
const WHOLE_ONLY = /^(isk|ugx)$/;

/** Stripe takes no more digits than that (https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts). */
const MAX_DIGITS = 8;

/** An amount that a currency has, in Stripe's minor units; or what is wanted instead, to complete "wanted …". */
export type ReadAmount = { unitAmount: number } | { wanted: string };

/**
 * Reads an amount such as "12.50", digit by digit, so that nothing is rounded. Stripe charges nothing below
 * about half a dollar; how much exactly depends on the currencies of price and account, so that Stripe
 * says it itself when somebody pays.
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
  // what card networks cannot carry is refused by Stripe when somebody pays
  if (digits === 3 && !minor.endsWith("0")) {
    return { wanted: `an amount whose third decimal is 0 in ${currency}` };
  }
  return { unitAmount: Number(minor) };
}

/** An amount of minor units as `readAmount` reads it: "12.50". */
export function writeAmount(unitAmount: number, currency: string): string {
  const digits = minorDigits(currency);
  const text = String(unitAmount).padStart(digits + 1, "0");
  const at = text.length - digits;
  return shownDigits(currency) === 0 ? text.slice(0, at) : `${text.slice(0, at)}.${text.slice(at)}`;
}
