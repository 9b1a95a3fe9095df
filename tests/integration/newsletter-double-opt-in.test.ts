import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { MailWorker } from "~/features/mail/mail-worker.server";
import { subscriberToken } from "~/features/newsletter/subscriber-token.server";
import { action as subscribe } from "~/routes/newsletter/route";
import { action as confirm, loader as confirmPage } from "~/routes/newsletter_.confirm/route";
import {
  action as unsubscribe,
  loader as unsubscribePage,
  headers as unsubscribePageHeaders,
} from "~/routes/newsletter_.unsubscribe/route";
import { addressHash } from "~db/address-hash";
import { getDatabase } from "~db/client";
import { deleteUnconfirmedSubscribers, findSubscriberByEmail } from "~db/queries/subscribers";
import { findSuppressionReason, suppressAddresses } from "~db/queries/suppressed-addresses";
import { watchLog } from "../support/log";
import { fillMailQueue, linkIn, mailIdle } from "../support/mail";
import { runMailWorker } from "../support/mail-worker";
import { ALREADY, FAILED, SUCCESS } from "../support/newsletter";
import { call, flashOf, get, ORIGIN, post } from "../support/routes";
import { openTestSite, type TestSite } from "../support/site";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp";
import { withoutDatabase } from "../support/without-database";

const OLD_LINK = "/auth/old-link?of=newsletter";

let smtp: TestSmtpServer;
let site: TestSite;
let worker: MailWorker;

beforeAll(async () => {
  smtp = await startSmtpServer();
  site = await openTestSite({
    variables: { SMTP_URL: smtp.url, NEWSLETTER_DOUBLE_OPT_IN: "true" },
  });
});
afterAll(async () => {
  await site.close();
  await smtp.close();
});
beforeEach(async () => {
  await getDatabase().db.execute(sql`truncate mails`);
  worker = await runMailWorker();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await worker.stop(5_000);
  smtp.delivered.length = 0;
});

let count = 0;
const newEmail = () => `listener-${++count}-${Date.now()}@example.test`;

async function toastOfSubscribing(email: string) {
  const answer = await post(subscribe, { form: { email } });
  await mailIdle();
  return (await flashOf(answer))?.toast;
}

const mailsTo = (email: string) =>
  smtp.delivered.filter(({ recipients }) => recipients.includes(email));

const subjectsTo = (email: string) => mailsTo(email).map(({ headers }) => headers.subject);

type TestMail = ReturnType<typeof mailsTo>[number];

const confirmTokenIn = (mail: TestMail) =>
  linkIn(mail, "/newsletter/confirm").searchParams.get("token") ?? "";

/** Subscribes a new address; returns the two links of the confirmation mail. */
async function asked() {
  const email = newEmail();
  await toastOfSubscribing(email);
  const mail = mailsTo(email).at(-1);
  if (!mail) throw new Error("No mail arrived.");
  const confirmToken = confirmTokenIn(mail);
  const unsubscribeUrl = new URL(
    /^<(.+)>$/.exec(mail.headers["list-unsubscribe"] ?? "")?.[1] ?? "",
  );
  return { email, mail, confirmToken, unsubscribeUrl };
}

const confirmedAt = async (email: string) => (await findSubscriberByEmail(email))?.confirmedAt;

function postToken(action: Parameters<typeof post>[0], token: string) {
  return post(action, { path: "/newsletter", form: { token } });
}

/** Sends the one-click request of a mail program's unsubscribe button. */
function oneClick(url: URL, body: URLSearchParams | FormData = new URLSearchParams()) {
  body.append("List-Unsubscribe", "One-Click");
  return call(unsubscribe, new Request(url, { method: "POST", body }));
}

describe("subscribing with double opt-in", () => {
  it("sends a mail, and does not count the address before its owner confirms", async () => {
    const email = newEmail();
    expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
    expect(await confirmedAt(email)).toBeNull();
    const [mail, ...others] = mailsTo(email);
    expect(others).toEqual([]);
    expect(mail?.headers.subject).toBe("One step left: confirm your email");
    expect(linkIn(mail as never, "/newsletter/confirm").origin).toBe(ORIGIN);
  });

  it("is confirmed by the button behind the link, once and for all, not by opening it as scanners do", async () => {
    const { email, confirmToken } = await asked();
    const page = await get(confirmPage, `/newsletter/confirm?token=${confirmToken}`);
    expect(await page.json()).toEqual({ token: confirmToken });
    expect(await confirmedAt(email)).toBeNull();
    const lines = watchLog();
    const answer = await postToken(confirm, confirmToken);
    const subscriberId = (await findSubscriberByEmail(email))?.id;
    // the welcome mail is logged next
    expect(lines[0]).toEqual({
      level: "info",
      message: "newsletter address confirmed",
      facts: { subscriberId },
    });
    expect(answer.status).toBe(303);
    expect((await flashOf(answer))?.toast).toEqual({
      title: "🎉 Email confirmed",
      description: "Thank you. You’re on the list.",
      variant: "default",
    });
    const first = await confirmedAt(email);
    expect(first).toBeInstanceOf(Date);
    const again = await postToken(confirm, confirmToken);
    expect((await flashOf(again))?.toast?.title).toBe("🎉 Email confirmed");
    expect(await confirmedAt(email)).toEqual(first);
    expect(await toastOfSubscribing(email.toUpperCase())).toEqual(ALREADY);
    expect(subjectsTo(email)).toEqual(["One step left: confirm your email", "You’re on the list"]);
  });

  it.each(["complaint", "unsubscribed"] as const)(
    "lifts a suppression, even after a %s, once its owner subscribes again and confirms",
    async (reason) => {
      const { email, confirmToken } = await asked();
      const ours = sql`select from suppressed_addresses where address_hash = ${addressHash(email)}`;
      const suppressed = async () => (await getDatabase().db.execute(ours)).length;
      await suppressAddresses([email], reason);
      await postToken(confirm, confirmToken);
      expect(await suppressed()).toBe(1);
      await toastOfSubscribing(email);
      expect(await suppressed()).toBe(1);
      await postToken(confirm, confirmTokenIn(mailsTo(email).at(-1) as TestMail));
      expect(await suppressed()).toBe(0);
      expect(await confirmedAt(email)).toBeInstanceOf(Date);
    },
  );

  it("mails an unconfirmed address again, but not within ten minutes", async () => {
    const { email } = await asked();
    const mailsAfter = async (minutes: number) => {
      await getDatabase().db.execute(
        sql`update subscribers set confirmation_sent_at = now() - make_interval(mins => ${minutes}) where email = ${email}`,
      );
      expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
      return mailsTo(email).length;
    };
    expect(await mailsAfter(9)).toBe(1);
    expect(await mailsAfter(11)).toBe(2);
  });

  it("mails once for many simultaneous forms", async () => {
    const email = newEmail();
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(subscribe, { json: { email } })),
    );
    await mailIdle();
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("fails when no more mail can be queued, and mails at the next attempt", async () => {
    await fillMailQueue();
    const email = newEmail();
    const answer = await post(subscribe, { form: { email } });
    expect((await flashOf(answer))?.toast).toEqual(FAILED);
    expect(await findSubscriberByEmail(email)).toBeNull();
    await getDatabase().db.execute(sql`truncate mails`);
    expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
    expect(mailsTo(email)).toHaveLength(1);
  });

  it("deletes addresses that were never confirmed, and no others", async () => {
    const silent = await asked();
    const confirmed = await asked();
    await postToken(confirm, confirmed.confirmToken);
    expect(await deleteUnconfirmedSubscribers(new Date(Date.now() - 60_000))).toBe(0);
    expect(await deleteUnconfirmedSubscribers(new Date(Date.now() + 60_000))).toBeGreaterThan(0);
    expect(await findSubscriberByEmail(silent.email)).toBeNull();
    expect(await findSubscriberByEmail(confirmed.email)).not.toBeNull();
    const late = await postToken(confirm, silent.confirmToken);
    expect(late.headers.get("Location")).toBe(OLD_LINK);
  });

  it("leads from a forged confirmation link to the page that says what to do", async () => {
    for (const token of ["", "5f0c1f0e-3c1b-4d0e-9a55-0a2f4a8d7c11.AAAA", "a\0b"]) {
      const path = `/newsletter/confirm?token=${encodeURIComponent(token)}`;
      for (const answer of [await get(confirmPage, path), await postToken(confirm, token)]) {
        expect(answer.status).toBe(303);
        expect(answer.headers.get("Location")).toBe(OLD_LINK);
      }
    }
  });

  it("reports a temporary failure, and the link still works", async () => {
    const { email, confirmToken } = await asked();
    const lines = watchLog();
    const { failed, forged } = await withoutDatabase(async () => ({
      failed: await postToken(confirm, confirmToken),
      forged: await postToken(confirm, "forged"),
    }));
    expect(forged.headers.get("Location")).toBe(OLD_LINK);
    const message = "newsletter confirmation failed";
    expect(lines).toEqual([{ level: "error", message, facts: { err: expect.any(Error) } }]);
    expect(failed.headers.get("Location")).toBe(`/newsletter/confirm?token=${confirmToken}`);
    expect((await flashOf(failed))?.toast?.variant).toBe("destructive");
    await postToken(confirm, confirmToken);
    expect(await confirmedAt(email)).toBeInstanceOf(Date);
  });
});

describe("unsubscribing", () => {
  it("removes the address with a button, idempotently; opening the link only shows it", async () => {
    const { email, unsubscribeUrl } = await asked();
    const token = unsubscribeUrl.searchParams.get("token") ?? "";
    const page = await get(unsubscribePage, unsubscribeUrl.pathname + unsubscribeUrl.search);
    expect(await page.json()).toEqual({ token, list: "newsletter" });
    const subscriberId = (await findSubscriberByEmail(email))?.id;
    const lines = watchLog();
    for (let time = 0; time < 2; time++) {
      const answer = await postToken(unsubscribe, token);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("Location")).toBe("/");
      expect((await flashOf(answer))?.toast).toEqual({
        title: "👋 You’ve been unsubscribed.",
        variant: "default",
      });
      expect(await findSubscriberByEmail(email)).toBeNull();
      expect(lines).toEqual([
        { level: "info", message: "unsubscribed", facts: { subscriberId, oneClick: false } },
      ]);
    }
  });

  it("is not final: the address can subscribe again, and the links of old mails still unsubscribe it", async () => {
    const { email, confirmToken, unsubscribeUrl } = await asked();
    await postToken(confirm, confirmToken);
    await postToken(unsubscribe, unsubscribeUrl.searchParams.get("token") ?? "");
    expect(await toastOfSubscribing(email)).toEqual(SUCCESS);
    expect(subjectsTo(email)).toEqual([
      "One step left: confirm your email",
      "You’re on the list",
      "One step left: confirm your email",
    ]);
    expect(await findSuppressionReason(email)).toBe("unsubscribed");
    await postToken(confirm, confirmToken);
    expect(await confirmedAt(email)).toBeNull();
    expect((await oneClick(unsubscribeUrl)).status).toBe(200);
    expect(await findSubscriberByEmail(email)).toBeNull();
  });

  it("reveals nothing about the address, nor whether it is on the list", async () => {
    const { email, unsubscribeUrl } = await asked();
    const token = unsubscribeUrl.searchParams.get("token") ?? "";
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(Buffer.from(token, "base64url").toString("latin1")).not.toContain(email.slice(0, 8));
    const never = token.replace(/^./, (first) => (first === "A" ? "B" : "A"));
    const page = await get(unsubscribePage, `/newsletter/unsubscribe?token=${never}`);
    expect(await page.json()).toEqual({ token: never, list: "newsletter" });
    expect((await flashOf(await postToken(unsubscribe, never)))?.toast?.title).toBe(
      "👋 You’ve been unsubscribed.",
    );
    expect(await findSubscriberByEmail(email)).not.toBeNull();
  });

  it("works by a mail program's one-click request, which gets 200 and no redirect", async () => {
    const { email, mail, unsubscribeUrl } = await asked();
    expect(mail.headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    expect(unsubscribeUrl.origin).toBe(ORIGIN);
    const answer = await oneClick(unsubscribeUrl);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({ unsubscribed: true });
    expect(await findSubscriberByEmail(email)).toBeNull();
    expect((await oneClick(unsubscribeUrl)).status).toBe(200);
  });

  it("answers a mail program's forged link with 400, and a temporary failure with 503", async () => {
    const { email, confirmToken, unsubscribeUrl } = await asked();
    const forged = new URL(`/newsletter/unsubscribe?token=${confirmToken}`, ORIGIN);
    expect((await oneClick(forged)).status).toBe(400);
    const lines = watchLog();
    const failed = await withoutDatabase(() => oneClick(unsubscribeUrl));
    expect(lines).toEqual([
      { level: "error", message: "unsubscribing failed", facts: { err: expect.any(Error) } },
    ]);
    expect(failed.status).toBe(503);
    expect(failed.headers.get("Retry-After")).toBe("60");
    expect(await findSubscriberByEmail(email)).not.toBeNull();
  });

  it("answers a forged link with a clear toast", async () => {
    const description = "This link is incomplete. Please open it from the email.";
    for (const token of ["", "5f0c1f0e-3c1b-4d0e-9a55-0a2f4a8d7c11.AAAA"]) {
      const path = `/newsletter/unsubscribe?token=${encodeURIComponent(token)}`;
      const opened = await get(unsubscribePage, path);
      for (const answer of [opened, await postToken(unsubscribe, token)]) {
        expect(answer.status).toBe(303);
        expect((await flashOf(answer))?.toast).toMatchObject({
          variant: "destructive",
          description,
        });
      }
    }
  });

  it("leaks the link to no other site", () => {
    const headers = new Headers(unsubscribePageHeaders({} as never));
    expect(headers.get("Referrer-Policy")).toBe("strict-origin");
  });

  it("accepts the links in mails from earlier versions of the program", async () => {
    const { email } = await asked();
    const id = (await findSubscriberByEmail(email))?.id ?? "";
    const token = subscriberToken("unsubscribe", id);
    const page = await get(unsubscribePage, `/newsletter/unsubscribe?token=${token}`);
    expect(await page.json()).toEqual({ token, list: "newsletter" });
    await postToken(unsubscribe, token);
    expect(await findSubscriberByEmail(email)).toBeNull();
    expect((await flashOf(await postToken(unsubscribe, token)))?.toast?.title).toBe(
      "👋 You’ve been unsubscribed.",
    );
  });
});
