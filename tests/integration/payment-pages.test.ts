import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { checkoutOptions, hasOptions } from "~/features/billing/checkout.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { action as billing } from "~/routes/billing/route";
import { action as checkout } from "~/routes/checkout/route";
import { newReader } from "../support/payments";
import { post } from "../support/routes";
import { openTestSite, type TestSite } from "../support/site";
import {
  type AuthorsSite,
  customerOf,
  newMember,
  openAuthorsSite,
} from "../support/stripe-account";

let database: TestSite;
beforeAll(async () => {
  database = await openTestSite();
});
afterAll(() => database.close());

let site: AuthorsSite;
beforeEach(async () => {
  site = await openAuthorsSite();
});
afterEach(() => setEnvironment({}));

const pay = "https://pay.book.example";
const buy = (cookie: string, kind: "json" | "form") =>
  post(checkout, { [kind]: { priceId: site.variables.STRIPE_PRICE_ID ?? "" }, cookie });

describe("a custom domain for Stripe's pages", () => {
  beforeEach(() => site.account.control("settings", { customDomain: pay }));

  it("is used by checkout and portal redirects, once a setting names it", async () => {
    site.restart({ STRIPE_CUSTOM_DOMAIN: "pay.book.example" });
    const { cookie } = await newReader();
    const byForm = await buy(cookie, "form");
    expect([byForm.status, byForm.headers.get("Location")]).toEqual([
      303,
      expect.stringMatching(/^https:\/\/pay\.book\.example\/c\/pay\/cs_test_/),
    ]);
    const byScript = await buy(cookie, "json");
    expect(await byScript.json()).toMatchObject({ url: byForm.headers.get("Location") });
    const member = await newMember(site);
    const portal = await post(billing, { form: {}, cookie: member.cookie });
    expect(portal.headers.get("Location")).toMatch(/^https:\/\/pay\.book\.example\/p\/session\//);
  });
});

describe("the options of a checkout", () => {
  it("are those of the settings at the click: an open checkout with others is not reused", async () => {
    const { cookie } = await newReader();
    const click = async () => (await (await buy(cookie, "json")).json()) as { sessionId: string };
    const plain = await click();
    expect(await click()).toEqual(plain);
    site.restart({ STRIPE_PROMOTION_CODES: "true" });
    const { sessionId } = await click();
    expect(sessionId).not.toBe(plain.sessionId);
    const session = await stripeClient().checkout.sessions.retrieve(sessionId);
    expect(session.allow_promotion_codes).toBe(true);
    expect((await click()).sessionId).toBe(sessionId);
  });

  it("are accepted by Stripe for a customer without an address, and present on the session", async () => {
    const member = await newMember(site);
    const open = async () =>
      stripeClient().checkout.sessions.create({
        mode: "subscription",
        customer: await customerOf(member),
        line_items: [{ price: site.variables.STRIPE_PRICE_ID, quantity: 1 }],
        success_url: "https://book.example/",
        ...checkoutOptions(),
      });
    const plain = await open();
    expect(hasOptions(plain)).toBe(true);
    site.restart({
      STRIPE_AUTOMATIC_TAX: "true",
      STRIPE_PROMOTION_CODES: "true",
      STRIPE_TERMS_CONSENT: "true",
    });
    expect(hasOptions(plain)).toBe(false);
    expect(hasOptions(await open())).toBe(true);
  });
});
