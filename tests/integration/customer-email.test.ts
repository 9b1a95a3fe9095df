import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { updateCustomerEmail } from "~/features/billing/customer-email.server";
import { ensureProfile, findProfile, updateProfile } from "~db/queries/profiles";
import { type LogLine, watchLog } from "../support/log";
import { newReader, type Reader } from "../support/payments";
import { type RecordingStripe, startRecordingStripe } from "../support/recording-stripe";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
let stripe: RecordingStripe;
let lines: LogLine[];
beforeAll(async () => {
  site = await openTestSite();
  stripe = await startRecordingStripe({
    SESSION_SECRET: "a secret that signs the cookies of tests only",
  });
});
afterAll(async () => {
  stripe.close();
  await site.close();
});
beforeEach(() => {
  stripe.reset();
  lines = watchLog();
});
afterEach(() => vi.restoreAllMocks());

const UPDATE = "POST /v1/customers/cus_1";
const rejected = (code: string) => ({
  status: 400,
  error: { type: "invalid_request_error", code, message: "no" },
});

/** An account with a customer whose new address is due at Stripe. */
async function accountWithNewEmail(row: object = {}): Promise<Reader> {
  const reader = await newReader();
  await ensureProfile(reader.id);
  const stripeCustomerId = `cus_${reader.id}`;
  await updateProfile(reader.id, { stripeCustomerId, isEmailDueAtStripe: true, ...row });
  return reader;
}

const isDue = async ({ id }: Reader) => (await findProfile(id))?.isEmailDueAtStripe;
const update = ({ id }: { id: string }, fields: object = {}) =>
  updateCustomerEmail({ id, stripeCustomerId: "cus_1", isEmailDueAtStripe: true, ...fields });

describe("a customer's new address", () => {
  it("is not sent again once Stripe rejects it, and is logged without the address", async () => {
    const account = await accountWithNewEmail();
    stripe.answers = { [UPDATE]: rejected("email_invalid") };
    await update(account);
    expect(await isDue(account)).toBe(false);
    expect(lines).toEqual([
      {
        level: "warn",
        message: "Stripe rejects this account's new email address",
        facts: { userId: account.id, stripeCustomerId: "cus_1" },
      },
    ]);
  });

  it.each([
    ["another rejection", rejected("resource_missing")],
    ["an error with that code", { ...rejected("email_invalid"), status: 403 }],
    ["an error of Stripe's", { status: 500, error: { type: "api_error" } }],
  ])("stays due after %s", async (_name, answer) => {
    const account = await accountWithNewEmail();
    stripe.answers = { [UPDATE]: answer };
    await expect(update(account)).rejects.toMatchObject({ statusCode: answer.status });
    expect(await isDue(account)).toBe(true);
    expect(lines).toEqual([]);
  });
});
