import { eq, sql } from "drizzle-orm";
import { afterEach, describe, expect, it } from "vitest";
import { action as signUp } from "~/routes/auth_.signup/route";
import { getDatabase } from "~db/client";
import { findUserByEmail } from "~db/queries/users";
import { mails } from "~db/schema";
import { everythingIn, watchLog } from "../support/log";
import { fillMailQueue } from "../support/mail";
import { ORIGIN, post } from "../support/routes";
import { testSite } from "../support/site";

testSite();
afterEach(async () => {
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
  it("gets a welcome mail, which tells the address's owner how to take over the account", async () => {
    const email = newEmail();
    expect(await signUpAs(email)).toBe(200);
    const [mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({ kind: "account-welcome", state: "queued" });
    expect(mail?.message?.subject).toBe("Welcome to The Golden Path");
    expect(mail?.message?.text).toContain(`${ORIGIN}/auth/forgot-password`);
    expect(mail?.message?.text).toContain(`${ORIGIN}/#preview`);
  });

  it("gets no welcome mail while the queue is full", async () => {
    await fillMailQueue();
    const email = newEmail();
    expect(await signUpAs(email)).toBe(200);
    expect(await mailsTo(email)).toEqual([]);
  });

  it("is created even if the welcome mail fails", async () => {
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
