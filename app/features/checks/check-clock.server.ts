import { env } from "~/env.server";
import { isLoopbackHost } from "~/environment/host-names";
import { STRIPE_API_ORIGIN } from "~/features/billing/stripe-origins.server";
import { describeDuration } from "~/features/newsletter/send-rate";
import { readDatabaseHealth } from "~db/queries/database-health";
import { type Answer, ok, problem } from "./answer";
import { askAnywhere, type Network } from "./network.server";

/** Maximum difference between clocks, in seconds. Stripe's signatures are valid for five minutes. */
const MAX_DIFFERENCE_S = 30;

/** Compares this machine's clock with the clocks of the database, the site and Stripe. */
export async function checkClock(network: Network, hasDatabase: boolean): Promise<Answer[]> {
  const { DATABASE_URL, PUBLIC_URL, STRIPE, SANDBOX } = env();
  const ofServer = async (origin: string) => {
    const { headers } = await askAnywhere(new URL("/healthz", origin), network);
    // the header has whole seconds
    return Date.parse(String(headers.date)) + 500;
  };
  const isLocal = isLoopbackHost(new URL(PUBLIC_URL).hostname);
  const asked = await Promise.all([
    // the embedded database uses this machine's clock
    ...(DATABASE_URL && hasDatabase
      ? [compare("the database", async () => (await readDatabaseHealth()).now.getTime())]
      : []),
    ...(isLocal ? [] : [compare("PUBLIC_URL's", () => ofServer(PUBLIC_URL))]),
    ...(STRIPE && !SANDBOX
      ? [compare("Stripe's", () => ofServer(STRIPE.apiBase ?? STRIPE_API_ORIGIN))]
      : []),
  ]);
  const others = asked.filter(({ seconds }) => !Number.isNaN(seconds));
  const apart = others.filter(({ seconds }) => Math.abs(seconds) > MAX_DIFFERENCE_S);
  const names = (clocks: typeof asked) => clocks.map(({ whose }) => whose);
  if (others.length === 0) return [ok("clock", "nothing to compare it with")];
  if (apart.length === 0) return [ok("clock", `agrees with ${names(others).join(", ")}`)];
  const found = apart.map(
    ({ whose, seconds }) =>
      `${whose} is ${describeDuration(Math.abs(seconds))} ${seconds > 0 ? "ahead" : "behind"}`,
  );
  // if all the others agree, this machine's clock is wrong
  const machine = apart.length === others.length ? "this machine" : names(apart).join(" and ");
  const advice = `Let ${machine} set the clock by NTP ('timedatectl set-ntp true').`;
  return [problem("clock", found.join("; "), advice)];
}

/** Returns how far another clock is ahead of this one, in seconds; NaN if it cannot be read. */
async function compare(whose: string, read: () => Promise<number>) {
  const startedAt = Date.now();
  const time = await read().catch(() => Number.NaN);
  return { whose, seconds: (time - (startedAt + Date.now()) / 2) / 1_000 };
}
