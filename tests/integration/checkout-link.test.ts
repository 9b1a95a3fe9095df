import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { SANDBOX_STRIPE, setEnvironment } from "~/env.server";
import { linkToCheckout } from "~/features/billing/checkout-link.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { getDatabase } from "~db/client";
import { confirmEmail } from "~db/queries/users";
import { mails } from "~db/schema";
import { openAlteredStripe } from "../support/altered-stripe";
import { type LogLine, watchLog } from "../support/log";
import { control, newMember, newReader, type Reader, stripeSettings } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite({ payments: {} });
});
afterAll(() => site.close());

let reader: Reader;
let lines: LogLine[];
beforeEach(async () => {
  reader = await newReader();
  await control(site.sandboxOrigin, "requests/clear");
  lines = watchLog();
});
afterEach(async () => {
  vi.restoreAllMocks();
  site.restoreEnvironment();
  await control(site.sandboxOrigin, "faults/clear");
});

const { priceId } = SANDBOX_STRIPE;
const link = () => linkToCheckout(reader, priceId);
const errors = () => lines.filter(({ level }) => level === "error");

/** Changes settings of the running site. */
const set = (variables: Record<string, string>) =>
  setEnvironment({
    ...stripeSettings(site.sandboxOrigin, priceId),
    SESSION_SECRET: "a secret that signs the cookies of tests only",
    LOG_LEVEL: "silent",
    ...variables,
  });

async function requestCount(): Promise<number> {
  type Requests = { requests: unknown[] };
  const path = "requests";
  return (await control<Requests>(site.sandboxOrigin, path, undefined, "GET")).requests.length;
}

describe("the link to the page on which a user pays", () => {
  it("is the checkout's, with its session", async () => {
    const found = await link();
    const sessionId = found.kind === "page" ? (found.sessionId ?? "") : "";
    const { url } = await stripeClient().checkout.sessions.retrieve(sessionId);
    expect(found).toEqual({ kind: "page", sessionId, url });
    expect(errors()).toEqual([]);
  });

  it("is the portal's for a member, without a session", async () => {
    const member = await newMember(site.sandboxOrigin);
    expect(await linkToCheckout(member, priceId)).toEqual({
      kind: "page",
      sessionId: null,
      url: expect.stringContaining("/p/session/"),
    });
    const type = "billing_portal.session.created";
    const { data } = await stripeClient().events.list({ type });
    expect(data[0]?.data.object).toMatchObject({
      customer: member.customer,
      flow: null,
      return_url: "http://localhost:3000/billing",
    });
  });

  it.each([
    [null, "The payment page has no address."],
    ["javascript:alert(1)", "The payment page is not encrypted."],
  ])("is missing if Stripe returns %j as its address", async (url, message) => {
    const altered = await openAlteredStripe(site.sandboxOrigin, (answer) => {
      if (answer.object === "checkout.session") answer.url = url;
    });
    set({ STRIPE_API_BASE: altered });
    expect(await link()).toEqual({
      kind: "no-page",
      sessionId: expect.stringMatching(/^cs_test_/),
      message,
    });
    expect(errors()).toEqual([
      { level: "error", message, facts: { userId: reader.id, outcome: "checkout" } },
    ]);
  });

  it("is missing while Stripe fails, which the log explains", async () => {
    await control(site.sandboxOrigin, "faults", { kind: "error", status: 403 });
    expect(await link()).toEqual({
      kind: "unavailable",
      message: "The payment service did not answer. Please try again.",
    });
    expect(errors()).toMatchObject([
      {
        message: "checkout could not be started",
        facts: { userId: reader.id, err: { statusCode: 403 } },
      },
    ]);
  });

  it("waits for the account's address to be confirmed where that is required, and mails how", async () => {
    set({ REQUIRE_CONFIRMED_EMAIL: "true" });
    expect(await link()).toEqual({
      kind: "unconfirmed",
      message: "Please confirm your email address first, with the link that is on its way to you.",
    });
    const { db } = getDatabase();
    const sent = await db.select().from(mails).where(eq(mails.recipient, reader.email));
    expect(sent.map(({ kind }) => kind)).toEqual(["email-confirmation"]);
    expect(await requestCount()).toBe(0);
    await confirmEmail({ userId: reader.id, email: reader.email }, new Date());
    expect(await link()).toMatchObject({ kind: "page" });
  });
});
