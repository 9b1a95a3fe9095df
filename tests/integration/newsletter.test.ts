import { createHmac } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { unsubscribePath } from "~/features/mail/unsubscribe-links.server";
import { addSubscriber } from "~/features/newsletter/add-subscriber.server";
import { subscribe as subscribeAddress } from "~/features/newsletter/subscribe.server";
import { unsubscribeTokenOf } from "~/features/newsletter/unsubscribe-token.server";
import { action as subscribe } from "~/routes/newsletter/route";
import { action as unsubscribe } from "~/routes/newsletter_.unsubscribe/route";
import { getDatabase, openDatabase, setDatabase } from "~db/client";
import { ensureSiteKey } from "~db/queries/site-keys";
import { findSubscriberByEmail, unsubscribeByEmail } from "~db/queries/subscribers";
import { findSuppressionReason, suppressAddresses } from "~db/queries/suppressed-addresses";
import { mails } from "~db/schema";
import { everythingIn, watchLog } from "../support/log";
import { fillMailQueue } from "../support/mail";
import { ALREADY, FAILED, SUCCESS } from "../support/newsletter";
import { flashOf, ORIGIN, post } from "../support/routes";
import { openTestSite, type TestSite } from "../support/site";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp";
import { withoutDatabase } from "../support/without-database";

let smtp: TestSmtpServer;
let site: TestSite;

beforeAll(async () => {
  smtp = await startSmtpServer();
  site = await openTestSite({ variables: { SMTP_URL: smtp.url } });
});
afterAll(async () => {
  await site.close();
  await smtp.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await getDatabase().db.execute(sql`truncate mails`);
});

/** Mails to an address: no worker runs, so they stay queued. */
const mailsTo = (email: string) =>
  getDatabase().db.select().from(mails).where(eq(mails.recipient, email));

let count = 0;
const newEmail = () => `listener-${++count}-${Date.now()}@example.test`;

async function toastOfSubscribing(email: string) {
  const answer = await post(subscribe, { form: { email } });
  expect(answer.status).toBe(303);
  expect(answer.headers.get("Location")).toBe("/#newsletter");
  return (await flashOf(answer))?.toast;
}

describe("subscribing to the newsletter", () => {
  it("adds the address at once, and welcomes it with an unsubscribe link", async () => {
    const email = newEmail();
    expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
    const subscriber = await findSubscriberByEmail(email);
    expect(subscriber?.confirmedAt).toBeInstanceOf(Date);
    const [mail, ...others] = await mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.kind).toBe("newsletter-welcome");
    const leave = ORIGIN + unsubscribePath(subscriber?.unsubscribeToken ?? "");
    expect(mail?.message?.headers).toEqual({
      "List-Unsubscribe": `<${leave}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    });
    expect(mail?.message?.text).toContain(leave);
    expect(mail?.message?.html).toContain(leave);
    expect(mail?.message?.text).toContain(`${ORIGIN}/#preview`);
    // the key outlives the mail, and must not let anybody unsubscribe
    expect(mail?.idempotencyKey).not.toContain(subscriber?.unsubscribeToken);
  });

  it("welcomes an address once, however often it subscribes and unsubscribes", async () => {
    const email = newEmail();
    for (let time = 0; time < 3; time++) {
      expect(await toastOfSubscribing(time === 1 ? email.toUpperCase() : email)).toEqual(SUCCESS);
      const token = (await findSubscriberByEmail(email))?.unsubscribeToken ?? "";
      await post(unsubscribe, { path: unsubscribePath(token), form: {} });
    }
    expect((await mailsTo(email)).map(({ kind }) => kind).toSorted()).toEqual([
      "newsletter-confirmation",
      "newsletter-confirmation",
      "newsletter-welcome",
    ]);
  });

  it("welcomes no address that is already on the list, as by an import", async () => {
    const email = newEmail();
    await addSubscriber(email, "the book fair");
    expect(await toastOfSubscribing(email)).toEqual(ALREADY);
    expect(await mailsTo(email)).toEqual([]);
  });

  it("succeeds even if the welcome mail fails", async () => {
    const email = newEmail();
    const { db } = getDatabase();
    const lines = watchLog();
    await db.execute(sql`alter table mails rename to mails_away`);
    try {
      expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
    } finally {
      await db.execute(sql`alter table mails_away rename to mails`);
    }
    expect((await findSubscriberByEmail(email))?.confirmedAt).toBeInstanceOf(Date);
    expect(lines.map(({ level }) => level)).toEqual(["error"]);
    expect(everythingIn(lines)).not.toContain(email);
  });

  it("sends no welcome while too much mail waits, and logs it", async () => {
    const lines = watchLog();
    expect(await toastOfSubscribing(newEmail())).toEqual(SUCCESS);
    expect(lines).toEqual([]);
    await fillMailQueue();
    const email = newEmail();
    expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
    expect((await findSubscriberByEmail(email))?.confirmedAt).toBeInstanceOf(Date);
    expect(await mailsTo(email)).toEqual([]);
    expect(lines).toEqual([
      {
        level: "error",
        message:
          "a mail was not taken: too many wait to be sent. Check the mail server named by SMTP_URL.",
        facts: { queued: 10_000 },
      },
    ]);
  });

  it("asks a suppressed address for confirmation, since it gets no other mail", async () => {
    const email = newEmail();
    await suppressAddresses([email], "complaint");
    expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
    expect((await findSubscriberByEmail(email))?.confirmedAt).toBeNull();
    expect((await mailsTo(email)).map(({ kind }) => kind)).toEqual(["newsletter-confirmation"]);
  });

  it("takes an account's own address back at once, if it is confirmed", async () => {
    for (const isConfirmed of [true, false]) {
      const email = newEmail();
      await addSubscriber(email, "the book fair");
      await unsubscribeByEmail(email);
      const [account] = await getDatabase().db.execute<{ id: string }>(sql`
        insert into users (email, password_hash, email_confirmed_at)
        values (${email}, 'x', ${isConfirmed ? sql`now()` : null}) returning id`);
      expect(await subscribeAddress(email, account?.id)).toEqual({ kind: "subscribed" });
      const isBack = (await findSubscriberByEmail(email))?.confirmedAt !== null;
      expect(isBack).toBe(isConfirmed);
      expect(await findSuppressionReason(email)).toBe(isConfirmed ? null : "unsubscribed");
    }
  });

  it("accepts one of ten simultaneous forms with the same address", async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(subscribe, { json: { email } })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(409)]);
  });

  it.each([{ email: "  " }, {}])("does nothing with the empty form %j", async (json) => {
    const answer = await post(subscribe, { json });
    expect(await answer.json()).toMatchObject({ subscribed: false, toast: null });
  });

  it.each<[string, [string, string][]]>([
    ["no real address", [["email", "nonsense"]]],
    [
      "two addresses",
      [
        ["email", "a@example.test"],
        ["email", "b@example.test"],
      ],
    ],
    ["an overlong address", [["email", `${"a".repeat(250)}@b.test`]]],
    ["a line break in the address", [["email", "a@b.test\r\nBcc: c@d.test"]]],
    ["a NUL byte", [["email", "a\0@b.test"]]],
  ])("answers %s with the failure toast", async (_name, form) => {
    const lines = watchLog();
    const answer = await post(subscribe, { form });
    expect((await flashOf(answer))?.toast).toEqual(FAILED);
    expect(lines).toEqual([]);
  });

  it("responds with the failure toast and keeps the typed address when the database is down", async () => {
    const email = newEmail();
    const lines = watchLog();
    const answer = await withoutDatabase(() => post(subscribe, { form: { email } }));
    expect(await flashOf(answer)).toMatchObject({ toast: FAILED, email });
    expect(lines.filter(({ level }) => level === "error")).toEqual([
      {
        level: "error",
        message: "newsletter subscription failed",
        facts: { err: expect.any(Error) },
      },
    ]);
  });
});

describe("the token in a newsletter link", () => {
  const tokenOfReader = async () => {
    const key = await ensureSiteKey("unsubscribe");
    const hmac = createHmac("sha256", key).update("reader@example.test").digest("base64url");
    return hmac.slice(0, 22);
  };

  it("is permanent: a part of the address's HMAC under the site's key, in any case", async () => {
    expect(await unsubscribeTokenOf("Reader@Example.test")).toBe(await tokenOfReader());
  });

  it("can be computed again once a failed database is back", async () => {
    const usual = getDatabase();
    const fresh = openDatabase(site.databaseUrl);
    setDatabase(fresh);
    try {
      await fresh.db.execute(sql`alter table site_keys rename to site_keys_away`);
      await expect(unsubscribeTokenOf("reader@example.test")).rejects.toThrow();
      await fresh.db.execute(sql`alter table site_keys_away rename to site_keys`);
      expect(await unsubscribeTokenOf("Reader@Example.test")).toBe(await tokenOfReader());
    } finally {
      setDatabase(usual);
      await fresh.close();
    }
  });
});
