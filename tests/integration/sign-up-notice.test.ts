import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { notifySignUpAttempt } from "~/features/accounts/sign-up-notice.server";
import { action as signUp } from "~/routes/auth_.signup/route";
import { getDatabase } from "~db/client";
import { watchLog } from "../support/log";
import { fillMailQueue, mailIdle } from "../support/mail";
import { mailsTo, newReader, withMailedReaders } from "../support/password-reset";
import { post } from "../support/routes";
import { withoutDatabase } from "../support/without-database";

withMailedReaders();

async function trySigningUp(email: string) {
  const answer = await post(signUp, { json: { email, password: "somebody else's" } });
  await mailIdle();
  return answer;
}

describe("signing up with an address that has an account", () => {
  it("notifies once a day, however often it is tried and in any case", async () => {
    const { email } = await newReader();
    await Promise.all([email, email.toUpperCase(), ` ${email}`, email].map(trySigningUp));
    expect(mailsTo(email)).toHaveLength(1);
    await getDatabase().db.execute(
      sql`update users set sign_up_notice_sent_at = sign_up_notice_sent_at - interval '23 hours'
          where email = ${email}`,
    );
    await trySigningUp(email);
    expect(mailsTo(email)).toHaveLength(1);
    await getDatabase().db.execute(
      sql`update users set sign_up_notice_sent_at = sign_up_notice_sent_at - interval '2 hours'
          where email = ${email}`,
    );
    await trySigningUp(email);
    expect(mailsTo(email)).toHaveLength(2);
  });

  it("queues nothing while too much mail waits, and only logs a failure", async () => {
    const { email } = await newReader();
    await fillMailQueue();
    expect((await trySigningUp(email)).status).toBe(409);
    const notices = sql`select from mails where kind = 'sign-up-attempt'`;
    expect(await getDatabase().db.execute(notices)).toHaveLength(0);

    const lines = watchLog();
    await withoutDatabase(() => notifySignUpAttempt(email));
    expect(lines).toEqual([
      {
        level: "error",
        message: "the notice of a sign-up attempt could not be queued",
        facts: { err: expect.any(Error) },
      },
    ]);
  });
});
