import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { ensureCustomer } from "~/features/billing/customer.server";
import { followDebitsAfterDeletion } from "~/features/billing/debits-after-deletion.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import { deleteAccount, deleteRows } from "~/features/my-account/delete-account.server";
import { resumeAccountDeletions } from "~/features/my-account/resume-deletions.server";
import { subscribe } from "~/features/newsletter/subscribe.server";
import { action as webhook } from "~/routes/webhooks.stripe/route";
import { getDatabase } from "~db/client";
import { beginAccountDeletion } from "~db/queries/account-deletions";
import {
  findDebitsAfterDeletion,
  insertDebitsAfterDeletion,
} from "~db/queries/debits-after-deletion";
import { ensureProfile, findProfile, updateProfile } from "~db/queries/profiles";
import { findSubscriberByEmail } from "~db/queries/subscribers";
import { findSuppressionReason } from "~db/queries/suppressed-addresses";
import { findUserByEmail, insertUser } from "~db/queries/users";
import { watchLog } from "../support/log";
import { control, newMember, newPayer, newReader, type Payer } from "../support/payments";
import { call } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite({ payments: { webhook: (request) => call(webhook, request) } });

const MINUTE_MS = 60_000;
const DELETE_CUSTOMER = "DELETE /v1/customers";

const fault = (fields: Record<string, unknown>) => control(site.sandboxOrigin, "faults", fields);
const later = (minutes: number) => new Date(Date.now() + minutes * MINUTE_MS);

/** What remains of an account, here and at Stripe. */
async function stateOf({ email, customer, subscription }: Payer) {
  const { status } = await stripeClient().subscriptions.retrieve(subscription);
  const there = await stripeClient().customers.retrieve(customer);
  return {
    hasAccount: (await findUserByEmail(email)) !== null,
    hasCustomer: !there.deleted,
    isCharged: status === "active",
  };
}

const AS_BEFORE = { hasAccount: true, hasCustomer: true, isCharged: true };
const ALL_GONE = { hasAccount: false, hasCustomer: false, isCharged: false };

async function unfinishedDeletions(): Promise<number> {
  const [row] = await getDatabase().db.execute<{ count: number }>(
    sql`select count(*)::int as count from account_deletions`,
  );
  return row?.count ?? 0;
}

async function mailsTo(email: string) {
  return getDatabase().db.execute<{ kind: string; state: string; recipient: string | null }>(
    sql`select kind, state, recipient from mails
      where address_hash = sha256(convert_to(lower(${email}), 'UTF8')) order by kind`,
  );
}

describe("deleting an account", () => {
  it("ends the membership at Stripe, removes every row, and sends a farewell mail", async () => {
    const member = await newMember(site.sandboxOrigin);
    await subscribe(member.email);
    expect(await deleteAccount(member.id)).toEqual({ kind: "deleted" });
    expect(await stateOf(member)).toEqual(ALL_GONE);
    expect(await findSubscriberByEmail(member.email)).toBeNull();
    // an import of an old list does not bring the address back
    expect(await findSuppressionReason(member.email)).toBe("unsubscribed");
    const mails = await mailsTo(member.email);
    // queued mail is not sent any more, and the address remains only in the farewell
    expect(mails.filter(({ recipient }) => recipient !== null)).toEqual([
      { kind: "account-deleted", state: "queued", recipient: member.email },
    ]);
    expect(mails.map(({ kind }) => kind)).toContain("newsletter-welcome");
  });

  it("leaves no row that names the account in any table", async () => {
    const member = await newMember(site.sandboxOrigin);
    await deleteAccount(member.id);
    const { db } = getDatabase();
    const columns = await db.execute<{ table_name: string; column_name: string }>(
      sql`select table_name, column_name from information_schema.columns
        where table_schema = 'public' and data_type in ('text', 'uuid', 'jsonb')`,
    );
    expect(columns.length).toBeGreaterThan(80);
    for (const { table_name: table, column_name: column } of columns) {
      if (table === "mails" && column === "recipient") continue;
      const [row] = await db.execute<{ found: boolean }>(
        sql`select exists (select from ${sql.identifier(table)}
          where position(${member.id} in ${sql.identifier(column)}::text) > 0
            or position(${member.email} in ${sql.identifier(column)}::text) > 0) as found`,
      );
      expect(row?.found, `${table}.${column}`).toBe(false);
    }
  });

  it("needs no Stripe for an account that never bought anything", async () => {
    await fault({ kind: "destroy", times: 0 });
    const reader = await newReader();
    expect(await deleteAccount(reader.id)).toEqual({ kind: "deleted" });
    expect(await findUserByEmail(reader.email)).toBeNull();
  });

  it("frees the address for a new account, which inherits nothing", async () => {
    const member = await newMember(site.sandboxOrigin);
    await deleteAccount(member.id);
    const again = await insertUser({ email: member.email, passwordHash: "another" });
    expect(again?.id).not.toBe(member.id);
  });

  it("happens once for simultaneous requests", async () => {
    const member = await newMember(site.sandboxOrigin);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => deleteAccount(member.id)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(["deleted"]));
    expect(await stateOf(member)).toEqual(ALL_GONE);
    const farewells = (await mailsTo(member.email)).filter(
      ({ kind }) => kind === "account-deleted",
    );
    expect(farewells).toHaveLength(1);
  });

  it("removes no row while the account has a customer that is not deleted, as after another checkout", async () => {
    const member = await newMember(site.sandboxOrigin);
    expect(await deleteRows(member.id, null)).toBe(false);
    expect(await deleteRows(member.id, "cus_of_before")).toBe(false);
    expect(await stateOf(member)).toEqual(AS_BEFORE);
  });

  it("makes an open checkout impossible to pay", async () => {
    const reader = await newReader();
    const payer = await newPayer(site.sandboxOrigin);
    expect(payer.id).not.toBe(reader.id);
    const { startCheckout } = await import("~/features/billing/checkout.server");
    const { SANDBOX_STRIPE } = await import("~/env.server");
    const outcome = await startCheckout(reader, SANDBOX_STRIPE.priceId);
    if (outcome.kind !== "checkout") throw new Error(outcome.kind);
    await deleteAccount(reader.id);
    await expect(
      control(site.sandboxOrigin, `sessions/${outcome.sessionId}/pay`, {}),
    ).rejects.toThrow();
  });
});

describe("deleting an account while a bank debit is on its way", () => {
  async function deletedWithDebit() {
    const member = await newMember(site.sandboxOrigin);
    const subscription = `subscriptions/${member.subscription}`;
    await control(site.sandboxOrigin, `${subscription}/renew`, { outcome: "processing" });
    await syncCustomer(member.customer);
    expect((await findProfile(member.id))?.isPaymentPending).toBe(true);
    expect(await deleteAccount(member.id)).toEqual({ kind: "deleted" });
    return {
      member,
      settle: (arrives: boolean) =>
        control(site.sandboxOrigin, `${subscription}/debit`, { arrives }),
    };
  }
  const noticesOf = (lines: ReturnType<typeof watchLog>) =>
    lines.filter(({ facts }) => facts.event === "paid-after-deletion");

  it("says in the mail that it may still arrive, and tells the operator once when it does", async () => {
    const { member, settle } = await deletedWithDebit();
    const [farewell] = await getDatabase().db.execute<{ message: { text: string } }>(
      sql`select message from mails where kind = 'account-deleted' and recipient = ${member.email}`,
    );
    expect(farewell?.message.text).toContain("may still arrive");
    expect(farewell?.message.text).not.toContain("nothing more will be charged");
    const lines = watchLog();
    await followDebitsAfterDeletion(later(20));
    expect(noticesOf(lines)).toEqual([]);
    await settle(true);
    await followDebitsAfterDeletion(later(20));
    await followDebitsAfterDeletion(later(20));
    expect(noticesOf(lines)).toHaveLength(1);
    expect(noticesOf(lines)[0]?.facts).toMatchObject({ stripeCustomerId: member.customer });
  });

  it("tells the operator nothing if it fails, nor of an account that is still there", async () => {
    const { settle } = await deletedWithDebit();
    const kept = await newMember(site.sandboxOrigin);
    const [charge] = (await stripeClient().charges.list({ customer: kept.customer })).data;
    await insertDebitsAfterDeletion([
      { stripeChargeId: charge?.id ?? "", stripeCustomerId: kept.customer },
    ]);
    const lines = watchLog();
    await settle(false);
    await followDebitsAfterDeletion(later(20));
    expect(noticesOf(lines)).toEqual([]);
    expect(await findDebitsAfterDeletion()).toEqual([]);
  });
});

describe("deleting an account while Stripe is off", () => {
  const off = () => fault({ kind: "error", status: 401, times: 0 });

  it("works for one that never had a subscription, once its checkout cannot be paid any more", async () => {
    const reader = await newReader();
    const { id } = await ensureCustomer(reader, await ensureProfile(reader.id));
    await off();
    expect(await deleteAccount(reader.id)).toMatchObject({ kind: "stripe-failed" });
    await updateProfile(reader.id, { syncDueAt: null });
    expect(await deleteAccount(reader.id)).toEqual({ kind: "deleted", left: id });
    expect(await findUserByEmail(reader.email)).toBeNull();
  });

  it("is refused to a member, and done anyway for the operator, whose mail promises no end", async () => {
    const member = await newMember(site.sandboxOrigin);
    await off();
    expect(await deleteAccount(member.id)).toMatchObject({ kind: "stripe-failed" });
    expect(await deleteAccount(member.id, { anyway: true })).toEqual({
      kind: "deleted",
      left: member.customer,
    });
    const [farewell] = await getDatabase().db.execute<{ message: { text: string } }>(
      sql`select message from mails where kind = 'account-deleted' and recipient = ${member.email}`,
    );
    expect(farewell?.message.text).toContain("we'll end your membership by hand");
    await control(site.sandboxOrigin, "faults/clear");
    expect(await stateOf(member)).toEqual({ ...AS_BEFORE, hasAccount: false });
  });
});

describe("deleting an account while Stripe is failing", () => {
  it("changes nothing and reports it if Stripe is down", async () => {
    const member = await newMember(site.sandboxOrigin);
    await fault({ kind: "destroy", times: 0 });
    expect(await deleteAccount(member.id)).toMatchObject({ kind: "stripe-failed" });
    await control(site.sandboxOrigin, "faults/clear");
    expect(await stateOf(member)).toEqual(AS_BEFORE);
    await resumeAccountDeletions(later(11));
    expect(await stateOf(member)).toEqual(AS_BEFORE);
    expect(await unfinishedDeletions()).toBe(0);
  });

  it("changes nothing if Stripe does not know the customer, and logs where to look", async () => {
    const member = await newMember(site.sandboxOrigin);
    await control(site.sandboxOrigin, `customers/${member.customer}/forget`);
    const lines = watchLog();
    expect(await deleteAccount(member.id)).toMatchObject({ kind: "stripe-failed" });
    expect(lines.find(({ level }) => level === "error")?.message).toContain("STRIPE_SECRET_KEY");
    expect(await findUserByEmail(member.email)).not.toBeNull();
    expect(await unfinishedDeletions()).toBe(0);
  });

  it("succeeds if Stripe did it and only its responses are lost", async () => {
    const member = await newMember(site.sandboxOrigin);
    await fault({ kind: "destroy", when: "after", match: DELETE_CUSTOMER, times: 0 });
    expect(await deleteAccount(member.id)).toEqual({ kind: "deleted" });
    expect(await stateOf(member)).toEqual(ALL_GONE);
  });

  it("keeps the account in doubt after a timeout, until the customer's fate is known", async () => {
    const member = await newMember(site.sandboxOrigin);
    await fault({ kind: "destroy", when: "before", match: DELETE_CUSTOMER, times: 0 });
    const outcome = await deleteAccount(member.id);
    expect(outcome).toMatchObject({ kind: "stripe-failed" });
    expect(await unfinishedDeletions()).toBe(1);
    await control(site.sandboxOrigin, "faults/clear");
    // the request arrives late after all
    await stripeClient().customers.del(member.customer);
    await resumeAccountDeletions(later(3));
    expect(await stateOf(member)).toEqual(ALL_GONE);
    expect(await unfinishedDeletions()).toBe(0);
  });

  it("restores the account once no late request can take effect any more", async () => {
    const member = await newMember(site.sandboxOrigin);
    await fault({ kind: "error", status: 500, match: DELETE_CUSTOMER, times: 0 });
    await deleteAccount(member.id);
    await control(site.sandboxOrigin, "faults/clear");
    await resumeAccountDeletions(later(9));
    // nor while the site stops
    await resumeAccountDeletions(later(11), AbortSignal.abort());
    expect(await unfinishedDeletions()).toBe(1);
    await resumeAccountDeletions(later(11));
    expect(await unfinishedDeletions()).toBe(0);
    expect(await stateOf(member)).toEqual(AS_BEFORE);
  });

  it("keeps an account whose customer Stripe does not know", async () => {
    const member = await newMember(site.sandboxOrigin);
    await beginAccountDeletion(member.id);
    await control(site.sandboxOrigin, `customers/${member.customer}/forget`);
    await resumeAccountDeletions(later(3));
    expect(await unfinishedDeletions()).toBe(1);
    await resumeAccountDeletions(later(11));
    expect(await unfinishedDeletions()).toBe(0);
    expect(await findUserByEmail(member.email)).not.toBeNull();
  });

  it.each(["before", "after"] as const)(
    "is completed if the program was killed %s Stripe deleted the customer",
    async (when) => {
      const member = await newMember(site.sandboxOrigin);
      await beginAccountDeletion(member.id);
      if (when === "after") await stripeClient().customers.del(member.customer);
      // skips an account that another process may be deleting
      await resumeAccountDeletions(later(1));
      expect(await unfinishedDeletions()).toBe(1);
      await resumeAccountDeletions(later(11));
      expect(await stateOf(member)).toEqual(when === "after" ? ALL_GONE : AS_BEFORE);
      expect(await unfinishedDeletions()).toBe(0);
    },
  );
});
