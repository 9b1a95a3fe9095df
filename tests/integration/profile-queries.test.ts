import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NO_MEMBERSHIP } from "~/features/billing/subscription-state";
import { getDatabase } from "~db/client";
import {
  clearEmailDue,
  countBilledProfiles,
  ensureProfile,
  findBilledProfiles,
  findCustomersDue,
  findProfile,
  findUsersWithEndedAccess,
  updateProfile,
} from "~db/queries/profiles";
import { type Profile, profiles, users } from "~db/schema";
import { newReader, type Reader } from "../support/payments";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());
beforeEach(() => getDatabase().db.delete(users));

const HOUR_MS = 60 * 60_000;
const hoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR_MS);

async function newAccount(row: Partial<Omit<Profile, "id">> = {}): Promise<Reader> {
  const reader = await newReader();
  await ensureProfile(reader.id);
  await getDatabase()
    .db.update(profiles)
    .set({ updatedAt: new Date(), ...row })
    .where(eq(profiles.id, reader.id));
  return reader;
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id);

describe("the profile of a user", () => {
  it("is made if it is missing, and kept as it is otherwise", async () => {
    const { id } = await newAccount();
    await getDatabase().db.delete(profiles).where(eq(profiles.id, id));
    expect(await findProfile(id)).toBeNull();
    expect(await ensureProfile(id)).toMatchObject({ id, ...NO_MEMBERSHIP });
    await updateProfile(id, { stripeCustomerId: "cus_1" });
    expect(await ensureProfile(id)).toEqual(await findProfile(id));
    expect(await ensureProfile(id)).toMatchObject({ id, stripeCustomerId: "cus_1" });
  });

  it("is not made for nobody", async () => {
    await expect(ensureProfile("9d2c8a52-0000-4000-8000-000000000000")).rejects.toThrow();
  });
});

describe("an address that is due at Stripe", () => {
  it("is due until Stripe was told the one that the account has", async () => {
    const account = await newAccount({ isEmailDueAtStripe: true });
    const other = await newAccount({ isEmailDueAtStripe: true });
    await clearEmailDue(account.id, `former-${account.email}`);
    expect((await findProfile(account.id))?.isEmailDueAtStripe).toBe(true);
    await clearEmailDue(account.id, account.email);
    expect((await findProfile(account.id))?.isEmailDueAtStripe).toBe(false);
    expect((await findProfile(other.id))?.isEmailDueAtStripe).toBe(true);
  });
});

describe("profiles with a customer", () => {
  it("are counted and found in the order of their ids, in pages", async () => {
    const accounts = [];
    for (let n = 0; n < 5; n++) accounts.push(await newAccount({ stripeCustomerId: `cus_${n}` }));
    await newAccount();
    const ids = idsOf(accounts).sort();
    expect(await countBilledProfiles(null)).toBe(5);
    expect(await countBilledProfiles(ids[1] ?? "")).toBe(3);
    expect(idsOf(await findBilledProfiles(null, 2))).toEqual(ids.slice(0, 2));
    expect(idsOf(await findBilledProfiles(ids[1] ?? "", 9))).toEqual(ids.slice(2));
  });

  it("are due from their time on, in the same order", async () => {
    const now = new Date();
    const due = [
      await newAccount({ stripeCustomerId: "cus_1", syncDueAt: now }),
      await newAccount({ stripeCustomerId: "cus_2", syncDueAt: hoursFromNow(-1) }),
      await newAccount({ stripeCustomerId: "cus_3", syncDueAt: hoursFromNow(-2) }),
    ];
    await newAccount({ stripeCustomerId: "cus_4", syncDueAt: hoursFromNow(1) });
    await newAccount({ stripeCustomerId: "cus_5" });
    await newAccount({ syncDueAt: hoursFromNow(-1) });
    const ids = idsOf(due).sort();
    expect(idsOf(await findCustomersDue(now, null, 2))).toEqual(ids.slice(0, 2));
    const rest = await findCustomersDue(now, ids[1] ?? "", 9);
    expect(rest).toEqual([{ id: ids[2], stripeCustomerId: expect.stringMatching(/^cus_[123]$/) }]);
  });
});

describe("users whose access has ended", () => {
  const since = hoursFromNow(-2);
  const long = hoursFromNow(-100);
  const member = { stripeSubscriptionId: "sub_1", stripePriceId: "price_1", updatedAt: long };

  it("are those by time and those by withdrawal, since then", async () => {
    const byTime = await newAccount({ ...member, stripeCurrentPeriodEnd: hoursFromNow(-1) });
    const withdrawn = await newAccount({
      ...member,
      stripePriceId: null,
      stripeCurrentPeriodEnd: null,
      updatedAt: hoursFromNow(-1),
    });
    const found = await findUsersWithEndedAccess(since, 10);
    const wanted = [byTime, withdrawn].map(({ id, email }) => ({ id, email }));
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining(wanted));
    expect(await findUsersWithEndedAccess(since, 1)).toHaveLength(1);
  });

  it.each<[string, Partial<Profile>]>([
    ["who has access", { stripeCurrentPeriodEnd: hoursFromNow(1), updatedAt: new Date() }],
    ["whose access ended before", { stripeCurrentPeriodEnd: hoursFromNow(-3) }],
    [
      "who has never had a subscription",
      { stripeSubscriptionId: null, stripePriceId: null, updatedAt: new Date() },
    ],
  ])("are not those %s", async (_name, row) => {
    await newAccount({ ...member, ...row });
    expect(await findUsersWithEndedAccess(since, 10)).toEqual([]);
  });

  it("are those without a price, whatever their period", async () => {
    const end = { stripeCurrentPeriodEnd: hoursFromNow(1) };
    const { id } = await newAccount({ ...member, ...end, stripePriceId: "" });
    expect(idsOf(await findUsersWithEndedAccess(since, 10))).toEqual([id]);
  });
});
