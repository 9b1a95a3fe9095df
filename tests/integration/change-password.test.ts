import { eq, sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { lookUpPasswordReset } from "~/features/accounts/password-reset.server";
import { openPasswordReset } from "~/features/accounts/password-reset-request.server";
import { logIn } from "~/features/accounts/sign-in.server";
import {
  isRecentlyVerified,
  type SignedIn,
  verifyIdentity,
} from "~/features/accounts/verify-identity.server";
import { changePassword } from "~/features/my-account/change-password.server";
import { getDatabase } from "~db/client";
import { sessions } from "~db/schema";
import { type Account, NEW_BROWSER, newAccount, PASSWORD } from "../support/accounts";
import { whileHashQueueIsFull } from "../support/hash-flood";
import { testSite } from "../support/site";

testSite();

const NEW = "a longer walk";

const canLogIn = async ({ email }: Account, password: string) =>
  (await logIn({ email, password }, NEW_BROWSER)).kind === "signed-in";

const openSessions = async ({ userId }: SignedIn) =>
  (await getDatabase().db.select().from(sessions).where(eq(sessions.userId, userId))).map(
    ({ tokenHash }) => tokenHash,
  );

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe("changing the password", () => {
  it("accepts only the new one, and keeps only this session", async () => {
    const account = await newAccount();
    await canLogIn(account, PASSWORD);
    expect(await openSessions(account)).toHaveLength(2);
    expect(
      await changePassword(account, { password: PASSWORD, newPassword: NEW }, undefined),
    ).toEqual({
      kind: "changed",
    });
    expect(await openSessions(account)).toEqual([account.tokenHash]);
    expect(await canLogIn(account, PASSWORD)).toBe(false);
    expect(await canLogIn(account, NEW)).toBe(true);
  });

  it("notifies the owner by mail, once", async () => {
    const account = await newAccount();
    await changePassword(account, { password: PASSWORD, newPassword: NEW }, undefined);
    const mails = await getDatabase().db.execute<{ text: string }>(
      sql`select message->>'text' as text from mails
        where recipient = ${account.email} and kind = 'password-changed'`,
    );
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain("every other device that was logged in");
  });

  it("invalidates an open reset link", async () => {
    const account = await newAccount();
    const link = await getDatabase().db.transaction((tx) => openPasswordReset(account.userId, tx));
    await changePassword(account, { password: PASSWORD, newPassword: NEW }, undefined);
    expect(await lookUpPasswordReset(link)).toBeNull();
  });

  it.each([
    ["another password", "That password isn’t right.", "not it", NEW],
    ["an empty one", "Please enter your current password.", "", NEW],
    ["none", "Please enter your current password.", undefined, NEW],
    ["two", "That password isn’t right.", [PASSWORD, PASSWORD], NEW],
    ["a new one too short", "Password should be at least 6 characters.", PASSWORD, "short"],
    ["no new one", "Please enter a password.", PASSWORD, undefined],
  ])("is rejected with %s", async (_what, message, password, newPassword) => {
    const fields = { password, newPassword };
    const account = await newAccount();
    expect(await changePassword(account, fields, undefined)).toEqual({ kind: "rejected", message });
    expect(await canLogIn(account, PASSWORD)).toBe(true);
  });

  it("happens once for simultaneous requests", async () => {
    const account = await newAccount();
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        changePassword(account, { password: PASSWORD, newPassword: `${NEW} ${i}` }, undefined),
      ),
    );
    const changed = outcomes.flatMap(({ kind }, i) => (kind === "changed" ? [i] : []));
    expect(changed).toHaveLength(1);
    expect(await canLogIn(account, `${NEW} ${changed[0]}`)).toBe(true);
  });

  it("waits while too many passwords are being hashed", async () => {
    const account = await newAccount();
    const outcome = await whileHashQueueIsFull("192.0.2.9", () =>
      changePassword(account, { password: PASSWORD, newPassword: NEW }, "192.0.2.9"),
    );
    expect(outcome).toEqual({ kind: "busy" });
    expect(await canLogIn(account, PASSWORD)).toBe(true);
  });
});

describe("confirming an identity", () => {
  it("is valid for ten minutes, starting at log-in", async () => {
    const { session } = await newAccount();
    expect(isRecentlyVerified(session)).toBe(true);
    expect(isRecentlyVerified({ ...session, verifiedAt: minutesAgo(9.9) })).toBe(true);
    expect(isRecentlyVerified({ ...session, verifiedAt: minutesAgo(10.1) })).toBe(false);
    expect(isRecentlyVerified({ ...session, verifiedAt: null })).toBe(false);
  });

  it("by password is recorded for this session alone", async () => {
    const account = await newAccount();
    await canLogIn(account, PASSWORD);
    const { db } = getDatabase();
    const longAgo = { verifiedAt: minutesAgo(60) };
    await db.update(sessions).set(longAgo).where(eq(sessions.userId, account.userId));
    expect(await verifyIdentity(account, PASSWORD, undefined)).toMatchObject({ kind: "verified" });
    const rows = await db.select().from(sessions).where(eq(sessions.userId, account.userId));
    const fresh = rows.filter((row) => isRecentlyVerified(row));
    expect(fresh.map(({ tokenHash }) => tokenHash)).toEqual([account.tokenHash]);
  });
});
