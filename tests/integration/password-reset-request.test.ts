import { sql } from "drizzle-orm";
import { describe, expect, it, vi } from "vitest";
import { requestPasswordReset } from "~/features/accounts/password-reset-request.server";
import { getDatabase } from "~db/client";
import { everythingIn, watchLog } from "../support/log";
import { fillMailQueue, linkIn, mailIdle } from "../support/mail";
import {
  age,
  askForLink,
  choose,
  delivered,
  INVALID_LINK,
  mailsTo,
  newReader,
  openLink,
  SENT,
  sendMailThrough,
  tokenFor,
  withMailedReaders,
} from "../support/password-reset";
import { freePorts } from "../support/ports.mjs";
import { flashOf, leadsTo, ORIGIN } from "../support/routes";

withMailedReaders();

describe("requesting a new password", () => {
  it("mails a link to a page that names the account", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email.toUpperCase());
    const page = await openLink(token);
    expect(await page.json()).toEqual({ token, email });
    const [mail] = mailsTo(email);
    expect(mail?.headers.subject).toBe("Choose a new password");
    expect(linkIn(mail as never, "/auth/reset-password").origin).toBe(ORIGIN);
    expect(mail?.html).toContain(`token=${token}`);
  });

  it("gives the same response whether or not the address has an account", async () => {
    const { email } = await newReader();
    const known = await askForLink(email);
    const unknown = await askForLink("nobody@example.test");
    await mailIdle();
    for (const answer of [known, unknown]) {
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe(SENT);
      expect(await flashOf(answer)).toMatchObject({
        email: null,
        toast: {
          title: "📬 Check your email",
          description:
            "If this address has an account, a link to choose a new password is on its way.",
          variant: "default",
        },
      });
      expect(await answer.text()).toBe("");
    }
    expect([...known.headers.keys()]).toEqual([...unknown.headers.keys()]);
    expect(delivered().map(({ recipients }) => recipients)).toEqual([[email]]);
  });

  it("responds before looking up the address", async () => {
    const { email } = await newReader();
    const answer = await getDatabase().db.transaction(async (tx) => {
      await tx.execute(sql`lock table users in access exclusive mode`);
      return askForLink(email);
    });
    expect(answer.headers.get("Location")).toBe(SENT);
    await mailIdle();
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("responds as usual while the mail server is down, and logs one line with advice", async () => {
    sendMailThrough(`smtp://127.0.0.1:${await freePorts(1)}`);
    const lines = watchLog();
    const { email } = await newReader();
    const answer = await askForLink(email);
    expect(answer.headers.get("Location")).toBe(SENT);
    const errors = () => lines.filter(({ level }) => level === "error");
    await vi.waitUntil(() => errors().length > 0, { timeout: 60_000 });
    // the failure is logged before the mail is put back
    await expect
      .poll(() =>
        getDatabase().db.execute(
          sql`select state, attempts from mails where kind = 'password-reset'`,
        ),
      )
      .toEqual([{ state: "queued", attempts: 0 }]);
    expect(errors()).toHaveLength(1);
    expect(errors()[0]?.message).toContain("SMTP_URL");
    expect(everythingIn(lines)).not.toMatch(new RegExp(`${email}|token=`));
  });

  it("fails while ten thousand mails wait to be sent", async () => {
    const { email } = await newReader();
    await fillMailQueue();
    const answer = await askForLink(email);
    await mailIdle();
    expect(answer.headers.get("Location")).toBe("/auth/forgot-password");
    expect((await flashOf(answer))?.toast).toEqual({
      title: "Password reset failed",
      description: "Something went wrong",
      variant: "destructive",
    });
    expect(mailsTo(email)).toEqual([]);
    expect(await requestPasswordReset(email, null)).toEqual({ kind: "busy" });
  });

  it("stores only the link's hash", async () => {
    const { email } = await newReader();
    const token = await tokenFor(email);
    const rows = await getDatabase().db.execute(sql`select * from password_resets`);
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
    const [row] = await getDatabase().db.execute<{ minutes: number }>(
      sql`select round(extract(epoch from expires_at - created_at) / 60)::int as minutes
          from password_resets where user_id = (select id from users where email = ${email})`,
    );
    expect(row?.minutes).toBe(60);
  });

  it("mails a reader at most once a minute", async () => {
    const { email } = await newReader();
    const answers = await Promise.all(Array.from({ length: 10 }, () => askForLink(email)));
    await mailIdle();
    expect(new Set(answers.map((answer) => answer.headers.get("Location")))).toEqual(
      new Set([SENT]),
    );
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("mails a reader at most six links in an hour, and the last of them keeps working", async () => {
    const { email } = await newReader();
    let token = "";
    for (let i = 0; i < 9; i++) {
      token = await tokenFor(email);
      await age(email, "61 seconds");
    }
    expect(mailsTo(email)).toHaveLength(6);
    expect((await openLink(token)).status).toBe(200);
    // an hour after the first of them the next one is mailed, while the last still works
    await age(email, "52 minutes");
    expect((await openLink(token)).status).toBe(200);
    await tokenFor(email);
    expect(mailsTo(email)).toHaveLength(7);
  });

  it("invalidates older links", async () => {
    const { email } = await newReader();
    const older = await tokenFor(email);
    await age(email, "61 seconds");
    const newer = await tokenFor(email);
    expect(newer).not.toBe(older);
    expect((await openLink(older)).status).toBe(303);
    expect((await flashOf(await choose(older)))?.toast).toEqual(INVALID_LINK);
    expect(await leadsTo(await choose(newer))).toBe("/");
  });

  it.each(["", "nonsense", "a@b.test\r\nBcc: c@d.test"])("fails for %j", async (email) => {
    const answer = await askForLink(email);
    expect(answer.headers.get("Location")).toBe("/auth/forgot-password");
    expect((await flashOf(answer))?.toast?.title).toBe("Password reset failed");
  });
});
