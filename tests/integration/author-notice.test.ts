import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { type AuthorEvent, notifyAuthor } from "~/features/billing/author-notice.server";
import type { MailWorker } from "~/features/mail/mail-worker.server";
import { log } from "~/observability/log.server";
import { mailIdle } from "../support/mail";
import { runMailWorker } from "../support/mail-worker";
import { openTestSite, type TestSite } from "../support/site";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp";

let smtp: TestSmtpServer;
let site: TestSite;
let worker: MailWorker;
beforeAll(async () => {
  smtp = await startSmtpServer();
  site = await openTestSite();
});
beforeEach(async () => {
  sell("live");
  worker = await runMailWorker();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await worker.stop(5_000);
  smtp.delivered.length = 0;
});
afterAll(async () => {
  await site.close();
  await smtp.close();
});

/** Settings of a site that sells in one of Stripe's modes. */
function sell(
  mode: "live" | "test",
  SMTP_URL = smtp.url,
  others: Record<string, string> = {},
): void {
  setEnvironment({
    ...others,
    SMTP_URL,
    MAIL_FROM: "The Golden Path <letters@book.test>",
    LOG_LEVEL: "silent",
    // concatenated, because it looks like a secret
    STRIPE_SECRET_KEY: ["sk", mode, "ofThisTestAlone"].join("_"),
    STRIPE_PRICE_ID: "price_1",
    STRIPE_WEBHOOK_SECRET: "whsec_ofThisTestAlone",
  });
}

const EVENT: AuthorEvent = {
  kind: "dispute-opened",
  userId: "9d2c8a52-0000-4000-8000-000000000000",
  stripeCustomerId: "cus_1",
  subscriptionId: "sub_1",
  chargeId: "ch_1",
};

describe("the author", () => {
  it.each<[AuthorEvent["kind"], string, RegExp]>([
    ["dispute-opened", "A payment is disputed", /ended the member's access and paused.*deadline/s],
    ["dispute-won", "A dispute is won", /restored the member's access.*collected again/s],
    ["dispute-lost", "A dispute is lost", /canceled the subscription/],
    ["refunded", "A payment was refunded", /still renews.*Cancel the subscription at Stripe if/s],
  ])(
    "is notified by mail and log of %s: what the site did, and what remains to do",
    async (kind, subject, words) => {
      const warn = vi.spyOn(log(), "warn");
      await notifyAuthor({ ...EVENT, kind });
      await mailIdle();

      expect(smtp.delivered.map(({ recipients }) => recipients)).toEqual([["letters@book.test"]]);
      const mail = smtp.delivered[0];
      expect(mail?.headers.subject).toBe(subject);
      expect(mail?.text).toMatch(words);
      expect(mail?.text.split("\r\n")).toContain("https://dashboard.stripe.com/customers/cus_1");
      expect(mail?.text).toContain("https://dashboard.stripe.com/payments/ch_1");

      // the mail worker runs beside this test and may warn of a slow server
      const lines = warn.mock.calls as unknown as [{ event?: string }, string][];
      const notices = lines.filter(([{ event }]) => event);
      expect(notices).toEqual([
        [{ event: kind, ...EVENT, kind: undefined }, expect.stringMatching(words)],
      ]);
      expect(JSON.stringify(lines)).not.toContain("@");
    },
  );

  it("is notified of a refund at OPERATOR_EMAIL; a dispute has its own mail there", async () => {
    sell("live", smtp.url, { OPERATOR_EMAIL: "hand@operator.test" });
    for (const kind of ["dispute-opened", "dispute-lost", "refunded"] as const) {
      await notifyAuthor({ ...EVENT, kind });
    }
    await mailIdle();
    expect(smtp.delivered.map(({ recipients, headers }) => [recipients, headers.subject])).toEqual([
      [["hand@operator.test"], "A payment was refunded"],
    ]);
  });
});
