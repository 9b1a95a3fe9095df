import { writeAmount } from "~/features/membership/price-amount";
import type { Statistics } from "./statistics";

const MONTH = new Intl.DateTimeFormat("en", { month: "short", year: "numeric", timeZone: "UTC" });

/** Formats `2026-11` as Nov 2026. */
export const nameMonth = (month: string): string => MONTH.format(new Date(`${month}-01T00:00:00Z`));

/** Formats a share as a percentage with one decimal; null as a dash. */
export const writeShare = (share: number | null): string =>
  share === null ? "–" : `${(share * 100).toFixed(1)} %`;

/** Formats amounts by currency, such as `1,249.50 USD`; 0 if there are none. */
export function writeRevenue(revenue: Record<string, number>): string {
  const amounts = Object.entries(revenue).map(([currency, amount]) => {
    const [whole = "", decimals] = writeAmount(amount, currency).split(".");
    const grouped = Number(whole).toLocaleString("en");
    return `${decimals === undefined ? grouped : `${grouped}.${decimals}`} ${currency.toUpperCase()}`;
  });
  return amounts.join(" + ") || "0";
}

/** Returns the currencies of all months. */
export const currenciesOf = ({ months }: Statistics): string[] =>
  Object.keys(months.at(-1)?.revenue ?? {});

/** Returns the steps of the funnel, in order. */
export const stepsOf = ({ funnel }: Statistics): { step: string; count: number }[] => [
  { step: "visited the site", count: funnel.visitors },
  { step: "saw the log-in page", count: funnel.authVisitors },
  { step: "created an account", count: funnel.accounts },
  { step: "pressed Upgrade to Premium", count: funnel.upgradeVisitors },
  { step: "became a member", count: funnel.members },
];
