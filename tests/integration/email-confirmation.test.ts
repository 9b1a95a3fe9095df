import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { SANDBOX_STRIPE } from "~/env.server";
import {
  confirmEmailByLink,
  emailConfirmationToken,
  readEmailConfirmation,
  resendEmailConfirmation,
} from "~/features/accounts/email-confirmation.server";
import { resetPassword } from "~/features/accounts/password-reset.server";
import { openPasswordReset } from "~/features/accounts/password-reset-request.server";
import { signUp } from "~/features/accounts/sign-in.server";
import { action as checkout } from "~/routes/checkout/route";
import { getDatabase } from "~db/client";
import { findUserByEmail } from "~db/queries/users";
import { sessions, users } from "~db/schema";
import { watchLog } from "../support/log";
import { fillMailQueue } from "../support/mail";
import { newReader } from "../support/payments";
import { flashOf, ORIGIN, post } from "../support/routes";
import { testSite } from "../support/site";
import { withoutDatabase } from "../support/without-database";

testSite({
  payments: {},
  // otherwise every checkout test would have an unconfirmed address
  variables: { REQUIRE_CONFIRMED_EMAIL: "true" },
});
afterEach(async () => {
  await getDatabase().db.execute(sql`truncate mails`);
});

const HERE = { clientAddress: undefined, session: null, knownBrowser: null, userAgent: null };

let count = 0;

async function newAccount() {
  const email = `confirmer-${++count}-${Date.now()}@example.test`;
  await signUp({ email, password: "a long walk" }, HERE);
  const user = await findUserByEmail(email);
  if (!user) throw new Error("There is no account.");
  return user;
}

const confirmedAt = async (email: string) => (await findUserByEmail(email))?.emailConfirmedAt;

const sessionCount = async (userId: string) =>
  (await getDatabase().db.select().from(sessions).where(eq(sessions.userId, userId))).length;

async function mailCount(email: string, kind: string): Promise<number> {
  const [row] = await getDatabase().db.execute<{ count: number }>(
    sql`select count(*)::int as count from mails where recipient = ${email} and kind = ${kind}`,
  );
  return row?.count ?? 0;
}

describe("the link in a new account's welcome mail", () => {
  it("is for this account, and confirms its address", async () => {
    const user = await newAccount();
    expect(user.emailConfirmedAt).toBeNull();
    const [mail] = await getDatabase().db.execute<{ text: string; html: string }>(
      sql`select message->>'text' as text, message->>'html' as html from mails
        where recipient = ${user.email} and kind = 'account-welcome'`,
    );
    const token = /confirm-email\?token=(\S+)/.exec(mail?.text ?? "")?.[1];
    expect(mail?.html).toContain(`/auth/confirm-email?token=${token}`);
    expect(mail?.text).not.toContain("invalid");
    expect(await confirmEmailByLink(token, user.id)).toEqual({
      kind: "confirmed",
      isSignedOut: false,
      newlyConfirmed: user.id,
    });
    expect(await confirmedAt(user.email)).toBeInstanceOf(Date);
    expect(await sessionCount(user.id)).toBe(1);
  });

  it("ends every session if opened in a browser that is not signed in to the account", async () => {
    const [user, other] = [await newAccount(), await newAccount()];
    const token = emailConfirmationToken(user);
    expect(await confirmEmailByLink(token, other.id)).toMatchObject({
      kind: "confirmed",
      isSignedOut: true,
    });
    expect(await sessionCount(user.id)).toBe(0);
    expect(await sessionCount(other.id)).toBe(1);
  });

  it("does so once: opened again, it signs nobody out", async () => {
    const user = await newAccount();
    const token = emailConfirmationToken(user);
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => confirmEmailByLink(token, null)),
    );
    expect(outcomes.every(({ kind }) => kind === "confirmed")).toBe(true);
    expect(outcomes.filter((one) => one.kind === "confirmed" && one.isSignedOut)).toHaveLength(1);
  });

  it("is invalid for another address or account, and after any change of a letter", async () => {
    const [user, other] = [await newAccount(), await newAccount()];
    const token = emailConfirmationToken(user);
    const [, signature] = token.split(".");
    const first = signature?.startsWith("A") ? "B" : "A";
    const forged = [
      `${other.id}.${signature}`,
      `${user.id}.${first}${signature?.slice(1)}`,
      `${user.id}.`,
      user.id,
      `${token}.${signature}`,
      "",
      "x".repeat(65_536),
      undefined,
      [token, token],
    ];
    for (const one of forged) {
      expect(await readEmailConfirmation(one)).toBeNull();
      expect(await confirmEmailByLink(one, null)).toEqual({ kind: "invalid-link" });
    }
    const email = `moved-${user.email}`;
    await getDatabase().db.update(users).set({ email }).where(eq(users.id, user.id));
    expect(await confirmEmailByLink(token, null)).toEqual({ kind: "invalid-link" });
    expect(await confirmedAt(email)).toBeNull();
  });
});

describe("a confirmed address", () => {
  it("is recorded in the security log the first time, by account", async () => {
    const user = await newAccount();
    const token = emailConfirmationToken(user);
    const lines = watchLog();
    for (let times = 1; times <= 2; times++) await confirmEmailByLink(token, user.id);
    expect(lines).toEqual([
      {
        level: "info",
        message: "address confirmed",
        facts: { security: "email-confirmed", userId: user.id },
      },
    ]);
  });
});

describe("a confirmation mail", () => {
  it("has the link, and the way to take over the account", async () => {
    const user = await newAccount();
    expect(await resendEmailConfirmation(user.id)).toEqual({ kind: "sent" });
    const [mail] = await getDatabase().db.execute<{ text: string }>(
      sql`select message->>'text' as text from mails
        where recipient = ${user.email} and kind = 'email-confirmation'`,
    );
    const token = /confirm-email\?token=(\S+)/.exec(mail?.text ?? "")?.[1];
    expect(await readEmailConfirmation(token)).toEqual({ id: user.id, email: user.email });
    expect(mail?.text).toContain(`${ORIGIN}/auth/forgot-password`);
  });

  it("is not queued while too much mail waits, nor while the database is down", async () => {
    const user = await newAccount();
    const lines = watchLog();
    const outcome = await withoutDatabase(() => resendEmailConfirmation(user.id));
    expect(outcome).toEqual({ kind: "failed" });
    expect(lines).toEqual([
      {
        level: "error",
        message: "a confirmation mail could not be queued",
        facts: { err: expect.any(Error), userId: user.id },
      },
    ]);
    await fillMailQueue();
    expect(await resendEmailConfirmation(user.id)).toEqual({ kind: "busy" });
    expect(await mailCount(user.email, "email-confirmation")).toBe(0);
  });

  it("is sent at most once a minute", async () => {
    const user = await newAccount();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => resendEmailConfirmation(user.id)),
    );
    expect(outcomes).toEqual(Array(10).fill({ kind: "sent" }));
    expect(await mailCount(user.email, "email-confirmation")).toBe(1);
    await getDatabase()
      .db.update(users)
      .set({ confirmationSentAt: new Date(Date.now() - 61_000) })
      .where(eq(users.id, user.id));
    await resendEmailConfirmation(user.id);
    expect(await mailCount(user.email, "email-confirmation")).toBe(2);
  });

  it("is not sent to a confirmed address", async () => {
    const user = await newAccount();
    await confirmEmailByLink(emailConfirmationToken(user), user.id);
    await resendEmailConfirmation(user.id);
    expect(await mailCount(user.email, "email-confirmation")).toBe(0);
  });
});

it("a password reset by mail confirms the address too, and ends the squatter's session", async () => {
  const user = await newAccount();
  const token = await getDatabase().db.transaction((tx) => openPasswordReset(user.id, tx));
  await resetPassword({ token, password: "another one" }, HERE);
  expect(await confirmedAt(user.email)).toBeInstanceOf(Date);
  // the session that the reset has opened
  expect(await sessionCount(user.id)).toBe(1);
});

describe("an upgrade with REQUIRE_CONFIRMED_EMAIL", () => {
  const upgrade = (cookie: string) =>
    post(checkout, { form: { priceId: SANDBOX_STRIPE.priceId }, cookie });

  it("waits for the address to be confirmed, and mails the link", async () => {
    const reader = await newReader();
    const answer = await upgrade(reader.cookie);
    expect(answer.headers.get("Location")).toBe("/#purchase");
    expect((await flashOf(answer))?.toast?.description).toContain(
      "Please confirm your email address first",
    );
    expect(await mailCount(reader.email, "email-confirmation")).toBe(1);
    await confirmEmailByLink(emailConfirmationToken(reader), reader.id);
    const after = await upgrade(reader.cookie);
    expect(after.headers.get("Location")).toContain("/c/pay/cs_test_");
  });
});
