import { CANCELLATION_REASONS } from "~/features/billing/cancellation-reasons";
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

/** A named number, shown with a bar. */
export type Bar = { name: string; count: number };

/** Returns why members canceled, the commonest reason first. */
export const reasonsOf = ({ reasons }: Statistics): Bar[] =>
  reasons.map(({ reason, members: count }) => ({
    name: (CANCELLATION_REASONS as Record<string, string>)[reason] ?? reason,
    count,
  }));

/** Returns the steps of the funnel, in order. */
export const stepsOf = ({ funnel }: Statistics): Bar[] => [
  { name: "visited the site", count: funnel.visitors },
  { name: "saw the login page", count: funnel.authVisitors },
  { name: "created an account", count: funnel.accounts },
  { name: "pressed Upgrade to Premium", count: funnel.upgradeVisitors },
  { name: "became a member", count: funnel.members },
];
