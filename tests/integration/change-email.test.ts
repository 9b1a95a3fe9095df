import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { lookUpPasswordReset, resetPassword } from "~/features/accounts/password-reset.server";
import { openPasswordReset } from "~/features/accounts/password-reset-request.server";
import { openSession } from "~/features/accounts/sessions.server";
import { logIn, signUp } from "~/features/accounts/sign-in.server";
import { stripeClient } from "~/features/billing/stripe-client.server";
import { syncCustomer } from "~/features/billing/sync-customer.server";
import {
  composeEmailChange,
  confirmEmailChange,
  lookUpEmailChange,
  requestEmailChange,
  undoEmailChange,
} from "~/features/my-account/change-email.server";
import { subscribe } from "~/features/newsletter/subscribe.server";
import { action as webhook } from "~/routes/webhooks.stripe/route";
import { cleanUp } from "~/server/clean-up.server";
import { getDatabase } from "~db/client";
import { findSubscriberByEmail } from "~db/queries/subscribers";
import { findSuppressionReason, suppressAddresses } from "~db/queries/suppressed-addresses";
import { findUserByEmail } from "~db/queries/users";
import { emailChanges, passkeys, sessions } from "~db/schema";
import {
  type Account,
  accountOf,
  NEW_BROWSER,
  newAccount,
  newAddress,
  PASSWORD,
} from "../support/accounts";
import { watchLog } from "../support/log";
import { control, newMember } from "../support/payments";
import { call } from "../support/routes";
import { testSite } from "../support/site";

const site = testSite({ payments: { webhook: (request) => call(webhook, request) } });

const DAY_MS = 24 * 60 * 60 * 1000;

const request = (account: Account, email: string, password = PASSWORD) =>
  requestEmailChange(account, { email, password }, undefined);

/** The token in the link mailed to a new address; null if there is no such mail. */
async function mailedToken(email: string): Promise<string | null> {
  const mail = await getDatabase().db.transaction((tx) => composeEmailChange(email, tx, null));
  return /email\/confirm\?token=([\w-]{43})/.exec(mail?.message.text ?? "")?.[1] ?? null;
}

/** The token in the last mail to a former address. */
async function undoToken(email: string): Promise<string> {
  const rows = await getDatabase().db.execute<{ text: string }>(
    sql`select message->>'text' as text from mails
      where kind = 'email-changed' and recipient = ${email} order by created_at desc limit 1`,
  );
  return /email\/undo\?token=([\w-]{43})/.exec(rows[0]?.text ?? "")?.[1] ?? "";
}

/** Changes an account's address as its owner would. */
async function change(account: Account, to: string): Promise<string> {
  expect(await request(account, to)).toEqual({ kind: "requested" });
  const token = await mailedToken(to);
  expect(await confirmEmailChange(token, account.userId)).toEqual({ kind: "changed", email: to });
  return undoToken(account.email);
}

const changesOf = ({ userId }: Account) =>
  getDatabase().db.select().from(emailChanges).where(eq(emailChanges.userId, userId));

const expire = ({ userId }: Account) =>
  getDatabase()
    .db.update(emailChanges)
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where(eq(emailChanges.userId, userId));

const idOf = async (email: string) => (await findUserByEmail(email))?.id;
const signUpOutcome = async (email: string) =>
  (await signUp({ email, password: PASSWORD }, NEW_BROWSER)).kind;
const logInOutcome = async (email: string, password = PASSWORD) =>
  (await logIn({ email, password }, NEW_BROWSER)).kind;

describe("asking for another address", () => {
  it("changes nothing before the new address is confirmed", async () => {
    const account = await newAccount();
    const to = newAddress();
    await request(account, to);
    expect(await idOf(account.email)).toBe(account.userId);
    expect(await idOf(to)).toBeUndefined();
    expect(await logInOutcome(to)).toBe("rejected");
  });

  it.each([
    ["a wrong password", "not it", "That password isn’t right."],
    ["no password", "", "Please enter your password."],
  ])("is rejected with %s", async (_what, password, message) => {
    const account = await newAccount();
    const to = newAddress();
    expect(await request(account, to, password)).toEqual({ kind: "rejected", message });
    expect(await mailedToken(to)).toBeNull();
  });

  it("is rejected for an invalid address, and for the account's current one", async () => {
    const account = await newAccount();
    expect(await request(account, "a@b@c.example")).toMatchObject({ kind: "rejected" });
    expect(await request(account, account.email.toUpperCase())).toEqual({
      kind: "rejected",
      message: "This is already your address.",
    });
  });

  it("reveals nothing about another account: the outcome is the same, and nobody is mailed", async () => {
    const [account, other] = [await newAccount(), await newAccount()];
    expect(await request(account, other.email)).toEqual({ kind: "requested" });
    expect(await mailedToken(other.email)).toBeNull();
  });

  it("replaces the previous request, whose link becomes invalid", async () => {
    const account = await newAccount();
    const [first, second] = [newAddress(), newAddress()];
    await request(account, first);
    const earlier = await mailedToken(first);
    await request(account, second);
    expect(await confirmEmailChange(earlier, account.userId)).toEqual({ kind: "invalid-link" });
    const token = await mailedToken(second);
    expect(await confirmEmailChange(token, account.userId)).toMatchObject({ kind: "changed" });
  });

  it("gives an address to one of two accounts that confirm it at the same moment", async () => {
    const accounts = [await newAccount(), await newAccount()] as const;
    const to = newAddress();
    for (const account of accounts) await request(account, to);
    const [first, second] = [await mailedToken(to), await mailedToken(to)];
    const outcomes = await getDatabase().db.transaction(async (tx) => {
      // lets neither change a user until both have found the address free
      await tx.execute(sql`lock table users in share mode`);
      const confirmed = [
        confirmEmailChange(first, accounts[0].userId),
        confirmEmailChange(second, accounts[1].userId),
      ];
      const waiting = sql`select from pg_locks where not granted and relation = 'users'::regclass`;
      await expect.poll(async () => (await tx.execute(waiting)).length).toBe(2);
      return confirmed;
    });
    const kinds = (await Promise.all(outcomes)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["changed", "taken"]);
  });
});

describe("the link to the new address", () => {
  it("changes and confirms the address, and keeps the session", async () => {
    const account = await newAccount();
    const to = newAddress();
    await change(account, to);
    const user = await findUserByEmail(to);
    expect(user?.id).toBe(account.userId);
    expect(user?.emailConfirmedAt).toBeInstanceOf(Date);
    expect(await logInOutcome(to)).toBe("signed-in");
    expect(await logInOutcome(account.email)).toBe("rejected");
    const { db } = getDatabase();
    const kept = await db.select().from(sessions).where(eq(sessions.tokenHash, account.tokenHash));
    expect(kept).toHaveLength(1);
  });

  it("works for the account's own user alone", async () => {
    const [account, stranger] = [await newAccount(), await newAccount()];
    const to = newAddress();
    await request(account, to);
    const token = await mailedToken(to);
    expect(await confirmEmailChange(token, stranger.userId)).toEqual({ kind: "invalid-link" });
    expect(await idOf(account.email)).toBe(account.userId);
  });

  it("works once, also if opened ten times at once", async () => {
    const account = await newAccount();
    const to = newAddress();
    await request(account, to);
    const token = await mailedToken(to);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => confirmEmailChange(token, account.userId)),
    );
    const kinds = outcomes.map(({ kind }) => kind).sort();
    expect(kinds).toEqual(["changed", ...Array(9).fill("invalid-link")]);
  });

  it.each([
    ["none", undefined],
    ["a forged token", "x".repeat(43)],
    ["two tokens", ["a", "b"]],
  ])("is invalid with %s", async (_what, token) => {
    const account = await newAccount();
    expect(await confirmEmailChange(token, account.userId)).toEqual({ kind: "invalid-link" });
    expect(await lookUpEmailChange("confirm", token)).toBeNull();
  });

  it("is invalid after a day, and then deleted", async () => {
    const account = await newAccount();
    const to = newAddress();
    await request(account, to);
    const token = await mailedToken(to);
    await expire(account);
    expect(await confirmEmailChange(token, account.userId)).toEqual({ kind: "invalid-link" });
    await cleanUp();
    expect(await changesOf(account)).toEqual([]);
  });

  it("invalidates password links mailed to the old address", async () => {
    const account = await newAccount();
    const reset = await getDatabase().db.transaction((tx) => openPasswordReset(account.userId, tx));
    expect(await lookUpPasswordReset(reset)).not.toBeNull();
    await change(account, newAddress());
    expect(await lookUpPasswordReset(reset)).toBeNull();
  });

  it("moves the newsletter subscription, merges two into one, and subscribes nobody else", async () => {
    const [account, to] = [await newAccount(), newAddress()];
    await change(account, to);
    expect(await findSubscriberByEmail(to)).toBeNull();
    await subscribe(to);
    const next = newAddress();
    await suppressAddresses([next], "unsubscribed");
    await change({ ...account, email: to }, next);
    expect(await findSubscriberByEmail(to)).toBeNull();
    // nobody has left: the old address is no longer used, and the new one is wanted again
    expect(await findSuppressionReason(to)).toBeNull();
    expect(await findSuppressionReason(next)).toBeNull();
    expect((await findSubscriberByEmail(next))?.confirmedAt).toBeInstanceOf(Date);

    const [both, target] = [await newAccount(), newAddress()];
    await subscribe(both.email);
    await subscribe(target);
    await change(both, target);
    expect(await findSubscriberByEmail(both.email)).toBeNull();
    expect((await findSubscriberByEmail(target))?.confirmedAt).toBeInstanceOf(Date);
  });
});

describe("the customer at Stripe", () => {
  it("gets the new address with the next sync if Stripe was down", async () => {
    const member = await newMember(site.sandboxOrigin);
    const user = { id: member.id, passwordHash: "not a hash" };
    const browser = { userAgent: null, verifiedBy: "passkey" as const };
    const token = await openSession(user, null, browser);
    const account = await accountOf(token ?? "", member.email);
    const to = newAddress();
    const emailAtStripe = async () => {
      const found = await stripeClient().customers.retrieve(member.customer);
      return found.deleted ? null : found.email;
    };
    // a recent passkey confirmation replaces the password
    expect(await request(account, to, "")).toEqual({ kind: "requested" });
    await control(site.sandboxOrigin, "faults", { kind: "destroy", times: 0 });
    const lines = watchLog();
    expect(await confirmEmailChange(await mailedToken(to), account.userId)).toMatchObject({
      kind: "changed",
    });
    // not before the last try, which would otherwise succeed
    await expect
      .poll(() => lines)
      .toContainEqual({
        level: "warn",
        message: "Stripe could not be told a new address; it will be tried again",
        facts: { userId: member.id, err: expect.any(Error) },
      });
    await control(site.sandboxOrigin, "faults/clear");
    expect(await emailAtStripe()).not.toBe(to);
    await syncCustomer(member.customer);
    expect(await emailAtStripe()).toBe(to);
  });
});

describe("the link to the former address", () => {
  const undo = (token: string) => undoEmailChange(token, undefined);

  it("restores address, sessions and password", async () => {
    const account = await newAccount();
    const to = newAddress();
    const token = await change(account, to);
    const outcome = await undo(token);
    if (outcome.kind !== "undone") throw new Error(outcome.kind);
    expect(await idOf(account.email)).toBe(account.userId);
    expect(await idOf(to)).toBeUndefined();
    const { db } = getDatabase();
    expect(await db.select().from(sessions).where(eq(sessions.userId, account.userId))).toEqual([]);
    // the attacker knew the password
    expect(await logInOutcome(account.email)).toBe("rejected");
    const resetToken = new URL(outcome.resetPath, "http://localhost").searchParams.get("token");
    expect(
      await resetPassword({ token: resetToken ?? "", password: "a new one" }, NEW_BROWSER),
    ).toMatchObject({ kind: "changed" });
    expect(await logInOutcome(account.email, "a new one")).toBe("signed-in");
  });

  it("works after any later change: another address, a passkey, a pending change", async () => {
    const account = await newAccount();
    const [second, third] = [newAddress(), newAddress()];
    const token = await change(account, second);
    await change({ ...account, email: second }, third);
    await request({ ...account, email: third }, newAddress());
    await getDatabase()
      .db.insert(passkeys)
      .values({
        id: `key-${account.userId}`,
        userId: account.userId,
        name: "not mine",
        publicKey: Buffer.from("key"),
        counter: 0,
        transports: [],
      });
    expect(await undo(token)).toMatchObject({ kind: "undone" });
    expect(await idOf(account.email)).toBe(account.userId);
    const { db } = getDatabase();
    expect(await db.select().from(passkeys).where(eq(passkeys.userId, account.userId))).toEqual([]);
    expect(await changesOf(account)).toEqual([]);
  });

  it("works once, also if opened ten times at once", async () => {
    const account = await newAccount();
    const token = await change(account, newAddress());
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => undo(token)));
    expect(outcomes.filter(({ kind }) => kind === "undone")).toHaveLength(1);
  });

  it("works for seven days", async () => {
    const account = await newAccount();
    const token = await change(account, newAddress());
    const [row] = await changesOf(account);
    const days = ((row?.expiresAt.getTime() ?? 0) - Date.now()) / DAY_MS;
    expect(days).toBeGreaterThan(6.99);
    expect(days).toBeLessThanOrEqual(7);
    await expire(account);
    expect(await undo(token)).toEqual({ kind: "invalid-link" });
  });

  it("stays valid when another account takes the former address", async () => {
    const account = await newAccount();
    const token = await change(account, newAddress());
    expect(await signUpOutcome(account.email)).toBe("taken");
    const other = await newAccount();
    await request(other, account.email);
    expect(await mailedToken(account.email)).toBeNull();
    expect(await undo(token)).toMatchObject({ kind: "undone" });
  });

  it("leaves the former address free once it has expired", async () => {
    const account = await newAccount();
    await change(account, newAddress());
    await expire(account);
    expect(await signUpOutcome(account.email)).toBe("signed-in");
  });
});
