import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { action as signUp } from "~/routes/auth_.signup/route";
import { getDatabase } from "~db/client";
import { findUserByEmail } from "~db/queries/users";
import { mails } from "~db/schema";
import { everythingIn, watchLog } from "../support/log";
import { fillMailQueue } from "../support/mail";
import { ORIGIN, post } from "../support/routes";
import { openTestSite, type TestSite } from "../support/site";

let site: TestSite;
beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());
afterEach(async () => {
  vi.restoreAllMocks();
  await getDatabase().db.execute(sql`truncate mails`);
});

let count = 0;
const newEmail = () => `newcomer-${++count}@example.test`;

const signUpAs = async (email: string) =>
  (await post(signUp, { json: { email, password: "a long walk" } })).status;

/** Mails to an address: no worker runs, so they stay queued. */
const mailsTo = (email: string) =>
  getDatabase().db.select().from(mails).where(eq(mails.recipient, email));

describe("a new account", () => {
  it("is welcomed by mail, with a way to take it over from somebody else", async () => {
    const email = newEmail();
    expect(await signUpAs(email)).toBe(200);
    const [mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ kind: "account-welcome", state: "queued" });
    expect(mail?.message?.subject).toBe("Welcome to The Golden Path");
    expect(mail?.message?.text).toContain(`${ORIGIN}/auth/forgot-password`);
    expect(mail?.message?.text).toContain(`${ORIGIN}/#preview`);
  });

  it("is welcomed once when ten sign up with its address at the same time", async () => {
    const email = newEmail();
    const answers = await Promise.all(Array.from({ length: 10 }, () => signUpAs(email)));
    expect(answers.sort()).toEqual([200, ...Array(9).fill(409)]);
    const kinds = (await mailsTo(email)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "account-welcome")).toHaveLength(1);
  });

  it("is not welcomed while too much mail waits", async () => {
    await fillMailQueue();
    const email = newEmail();
    expect(await signUpAs(email)).toBe(200);
    expect(await mailsTo(email)).toEqual([]);
  });

  it("does not fail for want of a welcome", async () => {
    const email = newEmail();
    const { db } = getDatabase();
    const lines = watchLog();
    await db.execute(sql`alter table mails rename to mails_away`);
    try {
      expect(await signUpAs(email)).toBe(200);
    } finally {
      await db.execute(sql`alter table mails_away rename to mails`);
    }
    expect(await findUserByEmail(email)).not.toBeNull();
    expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
    expect(everythingIn(lines)).not.toContain(email);
  });
});
