import { describe, expect, it } from "vitest";
import { resetPassword as resetPasswordByLink } from "~/features/accounts/password-reset.server";
import type { RootData } from "~/features/accounts/root-data";
import { action as logIn } from "~/routes/auth_.login/route";
import { headers as resetPasswordHeaders } from "~/routes/auth_.reset-password/route";
import { loadRoot } from "~/shell/root-data.server";
import { findUserByEmail } from "~db/queries/users";
import { whileHashQueueIsFull } from "../support/hash-flood";
import { watchLog } from "../support/log";
import { mailIdle } from "../support/mail";
import {
  age,
  canLogIn,
  choose,
  INVALID_LINK,
  mailsTo,
  NEW_PASSWORD,
  newReader,
  OLD_PASSWORD,
  openLink,
  tokenFor,
  withMailedReaders,
} from "../support/password-reset";
import { call, cookiesOf, flashOf, leadsTo, ORIGIN, post } from "../support/routes";
import { withoutDatabase } from "../support/without-database";

withMailedReaders();

/** A browser without a session. */
const HERE = { clientAddress: "192.0.2.1", session: null, userAgent: null };

async function rootData(cookie: string): Promise<RootData> {
  const answer = await call(
    loadRoot as never,
    new Request(ORIGIN, { headers: { Cookie: cookie } }),
  );
  return (await answer.json()) as RootData;
}

describe("a reset link", () => {
  it("changes the password, signs in here and redirects to '/'", async () => {
    const { email } = await newReader();
    const answer = await choose(await tokenFor(email));
    expect(answer.status).toBe(303);
    expect(await leadsTo(answer)).toBe("/");
    const root = await rootData(cookiesOf(answer));
    expect(root.viewer?.user.email).toBe(email);
    expect(root.toast).toMatchObject({
      title: "✅ Password changed",
      description: "You’re logged in.",
      variant: "default",
    });
    expect(await canLogIn(email, OLD_PASSWORD)).toBe(false);
    expect(await canLogIn(email, NEW_PASSWORD)).toBe(true);
  });

  it("signs out all of the reader's other sessions, and nobody else's", async () => {
    const reader = await newReader();
    const other = await newReader();
    const phone = cookiesOf(
      await post(logIn, { form: { email: reader.email, password: OLD_PASSWORD } }),
    );
    await choose(await tokenFor(reader.email));
    expect((await rootData(reader.cookie)).viewer).toBeNull();
    expect((await rootData(phone)).viewer).toBeNull();
    expect((await rootData(other.cookie)).viewer?.user.email).toBe(other.email);
  });

  it("notifies the reader by mail that the password has changed", async () => {
    const { email } = await newReader();
    await choose(await tokenFor(email));
    await mailIdle();
    const notice = mailsTo(email).at(-1);
    expect(notice?.headers.subject).toBe("Your password was changed");
    expect(notice?.text).toContain(`${ORIGIN}/auth/forgot-password`);
    expect(notice?.text).toMatch(/every\s+device\s+that\s+was\s+logged\s+in/);
  });

  it("is not consumed by being opened", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email);
    for (let i = 0; i < 3; i++) expect((await openLink(token)).status).toBe(200);
    expect(await leadsTo(await choose(token))).toBe("/");
  });

  it("works once even for ten simultaneous uses", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => choose(token, `password number ${i}`)),
    );
    const winners = answers.flatMap((answer, i) =>
      answer.headers.get("Location")?.startsWith("/auth?signed-in=") ? [i] : [],
    );
    expect(winners).toHaveLength(1);
    const losers = answers.filter((_answer, i) => i !== winners[0]);
    expect(losers.map((answer) => answer.headers.get("Location"))).toEqual(
      Array(9).fill("/auth/forgot-password?old"),
    );
    expect(await canLogIn(email, `password number ${winners[0]}`)).toBe(true);
  });

  it("expires after an hour", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email);
    await age(email, "59 minutes");
    expect((await openLink(token)).status).toBe(200);
    await age(email, "1 minute");
    for (const late of [await openLink(token), await choose(token)]) {
      expect(late.headers.get("Location")).toBe("/auth/forgot-password?old");
      expect((await flashOf(late))?.toast).toEqual(INVALID_LINK);
    }
    expect(await canLogIn(email, OLD_PASSWORD)).toBe(true);
  });

  it.each([
    ["missing", ""],
    ["forged", "A".repeat(43)],
    ["cut short", "abc"],
    ["overlong", "a".repeat(5_000)],
    ["no token at all", "'; drop table users; --\0"],
  ])("that is %s leads back with a clear toast", async (_name, token) => {
    for (const answer of [await openLink(token), await choose(token)]) {
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe("/auth/forgot-password?old");
      expect((await flashOf(answer))?.toast).toEqual(INVALID_LINK);
    }
  });

  it("still works after a password that was too short", async () => {
    const description = "Password should be at least 6 characters.";
    const { email } = await newReader();
    const token = await tokenFor(email);
    const answer = await choose(token, "12345");
    expect(answer.headers.get("Location")).toBe(`/auth/reset-password?token=${token}`);
    expect((await flashOf(answer))?.toast).toEqual({
      title: "Password reset failed",
      description,
      variant: "destructive",
    });
    expect(await leadsTo(await choose(token))).toBe("/");
  });

  it("shows its form, and fails without using up the link, while the database is down", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email);
    const lines = watchLog();
    const [page, answer] = await withoutDatabase(async () => [
      await openLink(token),
      await choose(token),
    ]);
    expect(lines).toEqual([
      {
        level: "error",
        message: "a password reset link could not be looked up; its form is shown",
        facts: { err: expect.any(Error) },
      },
      { level: "error", message: "password reset failed", facts: { err: expect.any(Error) } },
    ]);
    expect(await page.json()).toEqual({ token, email: null });
    expect(answer.headers.get("Location")).toBe(`/auth/reset-password?token=${token}`);
    expect((await flashOf(answer))?.toast).toMatchObject({
      title: "Password reset failed",
      description: "Something went wrong",
    });
    expect(await leadsTo(await choose(token))).toBe("/");
  });

  it("still works after passwords from the same network filled the queue for hashing", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email);
    const reset = () => resetPasswordByLink({ token, password: NEW_PASSWORD }, HERE);
    const busy = await whileHashQueueIsFull("192.0.2.1", reset);
    expect(busy).toEqual({ kind: "busy" });
    expect(await reset()).toMatchObject({ kind: "changed", email });
  });

  it("that changes a password is recorded in the security log, by account and network", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email);
    const lines = watchLog();
    await resetPasswordByLink({ token, password: NEW_PASSWORD }, HERE);
    expect(lines[0]).toEqual({
      level: "info",
      message: "password changed by a reset link",
      facts: {
        security: "password-reset",
        userId: (await findUserByEmail(email))?.id,
        network: "192.0.2.1",
      },
    });
  });

  it("ends this browser's former session, whatever its account", async () => {
    const reader = await newReader();
    const guest = await newReader();
    const answer = await choose(await tokenFor(reader.email), NEW_PASSWORD, guest.cookie);
    expect((await rootData(guest.cookie)).viewer).toBeNull();
    expect((await rootData(cookiesOf(answer))).viewer?.user.email).toBe(reader.email);
  });

  it("is leaked to no other site and stored in no cache", () => {
    const headers = new Headers(resetPasswordHeaders({} as never));
    expect(headers.get("Referrer-Policy")).toBe("strict-origin");
    expect(headers.get("Cache-Control")).toContain("no-store");
  });
});
