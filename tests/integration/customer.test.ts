import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ensureCustomer } from "~/features/billing/customer.server";
import { SITE_KEY, siteMark } from "~/features/billing/stripe-site.server";
import { getDatabase } from "~db/client";
import { ensureProfile, findProfile, updateProfile } from "~db/queries/profiles";
import { insertUser } from "~db/queries/users";
import { type Profile, users } from "~db/schema";
import { type LogLine, watchLog } from "../support/log";
import { type RecordingStripe, startRecordingStripe } from "../support/recording-stripe";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
let stripe: RecordingStripe;
let lines: LogLine[];
beforeAll(async () => {
  site = await openTestSite();
  stripe = await startRecordingStripe();
});
afterAll(async () => {
  stripe.close();
  await site.close();
});
beforeEach(() => {
  stripe.reset();
  created = newCustomer();
  stripe.answers = {
    "GET /v1/customers": customers(),
    "POST /v1/customers": { status: 200, fields: { id: created } },
  };
  lines = watchLog();
});
afterEach(() => vi.restoreAllMocks());

const HOUR_MS = 60 * 60_000;

let count = 0;
const newCustomer = () => `cus_${++count}`;
/** The customer that Stripe creates in a test. */
let created: string;

type Account = { id: string; email: string; profile: Profile };

/** Creates an account of this age with these fields in its row. */
async function newAccount(
  row: Partial<Pick<Profile, "stripeCustomerId" | "checkoutFailures">> = {},
  hours = 0,
): Promise<Account> {
  const email = `buyer-${process.pid}-${++count}@example.test`;
  const user = await insertUser({ email, passwordHash: "not a hash" });
  if (!user) throw new Error("The address is taken.");
  const createdAt = new Date(Date.now() - hours * HOUR_MS);
  await getDatabase().db.update(users).set({ createdAt }).where(eq(users.id, user.id));
  await ensureProfile(user.id);
  await updateProfile(user.id, row);
  return { id: user.id, email, profile: await ensureProfile(user.id) };
}

const ensure = ({ id, email, profile }: Account) => ensureCustomer({ id, email }, profile);
const linked = async ({ id }: Account) => (await findProfile(id))?.stripeCustomerId;
const customers = (...data: { id: string; userId: string }[]) => ({
  status: 200,
  fields: {
    object: "list",
    data: data.map(({ id, userId }) => ({ id, metadata: { userId } })),
    has_more: false,
  },
});
const creationOf = ({ id, email }: Account) =>
  `POST /v1/customers email=${email}&metadata[userId]=${id}`;
const listedBy = (email: string) =>
  `GET /v1/customers?email=${email.replace("@", "%40")}&limit=100`;

describe("the customer of an account", () => {
  it("is deleted again if the account was deleted meanwhile", async () => {
    const account = await newAccount();
    await getDatabase().db.delete(users).where(eq(users.id, account.id));
    stripe.answers["GET /v1/customers"] = customers();
    stripe.answers["GET /v1/charges"] = customers();
    stripe.answers[`GET /v1/customers/${created}`] = { status: 200, fields: { id: created } };
    stripe.answers[`DELETE /v1/customers/${created}`] = {
      status: 200,
      fields: { id: created, deleted: true },
    };
    await expect(ensure(account)).rejects.toThrow(/was deleted during the checkout/);
    expect(stripe.calls.at(-1)).toBe(`DELETE /v1/customers/${created}`);
  });
});

describe("a customer that the row has lost", () => {
  it("is searched for if the account is deleted meanwhile, and linked to nobody", async () => {
    const account = await newAccount();
    await getDatabase().db.delete(users).where(eq(users.id, account.id));
    stripe.answers["GET /v1/customers"] = customers();
    await expect(ensure(account)).rejects.toThrow();
    expect(stripe.calls[0]).toBe(listedBy(account.email));
  });
});

describe("an address that Stripe rejects", () => {
  const rejected = (code: string, status = 400) => ({
    status,
    error: { type: "invalid_request_error", code, message: "no" },
  });

  it.each([
    ["another rejection", rejected("parameter_invalid_empty")],
    ["an answer that is no rejection", rejected("email_invalid", 403)],
  ])("is not inferred from %s", async (_name, answer) => {
    const account = await newAccount();
    stripe.answers["POST /v1/customers"] = [answer, { status: 200, fields: { id: created } }];
    await expect(ensure(account)).rejects.toMatchObject({ statusCode: answer.status });
    expect(await linked(account)).toBeNull();
    const mark = `&metadata[${SITE_KEY}]=${(await siteMark())[SITE_KEY]}`;
    expect(stripe.calls).toEqual([listedBy(account.email), creationOf(account) + mark]);
  });
});

describe("a new customer", () => {
  it("gives way to one that another process has linked meanwhile", async () => {
    const account = await newAccount();
    const theirs = newCustomer();
    await updateProfile(account.id, { stripeCustomerId: theirs });
    expect(await ensure(account)).toEqual({ id: theirs, isNew: false });
    expect(await linked(account)).toBe(theirs);
    expect(lines).toEqual([]);
  });

  it.each([
    ["no customer", null],
    ["a deleted one", "cus_deleted"],
  ])("that another account has is an error for a row with %s", async (_name, stripeCustomerId) => {
    await newAccount({ stripeCustomerId: created });
    const account = await newAccount({ stripeCustomerId });
    stripe.answers["GET /v1/customers/cus_deleted"] = { status: 200, fields: { deleted: true } };
    await expect(ensure(account)).rejects.toThrow(
      `Customer ${created} of user ${account.id} is linked to another user.`,
    );
    expect(await linked(account)).toBe(stripeCustomerId);
  });
});
