import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { announceNewTexts } from "~/features/library/new-texts/announce-new-texts.server";
import { action as setOnAccountPage } from "~/routes/account_.newsletter/route";
import { action as endByLink, loader as openLink } from "~/routes/newsletter_.unsubscribe/route";
import { loader as readChapter } from "~/routes/premium_.chapters_.$slug/route";
import { getDatabase } from "~db/client";
import { suppressAddresses } from "~db/queries/suppressed-addresses";
import { users } from "~db/schema";
import { type EditionFiles, editionText, takeEdition } from "../support/library";
import { linkIn, mailIdle } from "../support/mail";
import { runMailWorker } from "../support/mail-worker";
import { newReaderUntil, type Reader } from "../support/payments";
import { flashOf, get, post } from "../support/routes";
import { openTestSite, type TestSite } from "../support/site";
import { startSmtpServer, type TestSmtpServer } from "../support/smtp";

let smtp: TestSmtpServer;
let site: TestSite;
const db = () => getDatabase().db;

beforeAll(async () => {
  smtp = await startSmtpServer();
  site = await openTestSite({ variables: { SMTP_URL: smtp.url, MAIL_FROM: "book@site.test" } });
});
afterAll(async () => {
  await site.close();
  await smtp.close();
});
beforeEach(async () => {
  smtp.delivered.splice(0);
  await db().execute(sql`truncate users, mails, text_announcements, suppressed_addresses cascade`);
  await publish("one", "two");
  await announceNewTexts();
});

const chapters = (names: string[]): EditionFiles =>
  Object.fromEntries(
    names.map((name, index) => [
      `chapters/${name}.md`,
      editionText({
        title: `The ${name}`,
        summary: `Of ${name}.`,
        order: index + 1,
        ...(name.startsWith("later") && { publish: "2999-01-01" }),
        ...(name.startsWith("draft") && { publish: "draft" }),
      }),
    ]),
  );
const publish = (...names: string[]) => takeEdition(chapters(names));

/** As if the texts that wait had been published so many minutes earlier. */
const pass = (minutes: number) =>
  db().execute(
    sql`update text_announcements set out_at = out_at - ${minutes} * interval '1 minute'`,
  );
const announceAfterAnHour = async () => {
  await announceNewTexts();
  await pass(59);
  await announceNewTexts();
};

async function newMember({ wishes = true, hours = 24 } = {}): Promise<Reader> {
  const reader = await newReaderUntil(new Date(Date.now() + hours * 3_600_000));
  if (wishes) await choose(reader, "new-texts-on");
  return reader;
}
const choose = ({ cookie }: Reader, intent: string, redirectTo = "") =>
  post(setOnAccountPage, { form: { intent, redirectTo }, cookie });

/** Who has been queued or sent a mail, and its subject if it still waits. */
const queued = async () =>
  (
    await db().execute<{ recipient: string; subject: string }>(sql`
      select recipient, message ->> 'subject' as subject from mails
      where kind = 'new-texts' and state = 'queued' order by created_at, recipient`)
  ).map(({ recipient, subject }) => [recipient, subject]);

describe("a text that has come out", () => {
  it("is mailed once to members who wish it, an hour later, with what came out meanwhile", async () => {
    const { email } = await newMember();
    await newMember({ wishes: false });
    await newMember({ hours: -1 });
    await announceAfterAnHour();
    expect(await queued()).toEqual([]);

    await publish("one", "two", "three", "later-four", "draft-five");
    await announceNewTexts();
    await pass(50);
    await publish("one", "two", "three", "six", "later-four", "draft-five");
    await announceNewTexts();
    expect(await queued()).toEqual([]);
    await pass(9);
    await announceNewTexts();
    const both = [email, "New in The Golden Path: 2 texts"];
    expect(await queued()).toEqual([both]);

    // a new slug under the old id, one that is taken back for a while, and no change at all
    const { "chapters/three.md": three = "" } = chapters(["one", "two", "three"]);
    const renamed = String(three).replace("title:", "id: three\ntitle:");
    await takeEdition({ ...chapters(["one", "two"]), "chapters/drei.md": renamed });
    await announceAfterAnHour();
    await publish("one", "two", "three", "six");
    await announceAfterAnHour();
    expect(await queued()).toEqual([both]);

    await publish("one", "two", "three", "six", "seven");
    await announceAfterAnHour();
    expect(await queued()).toEqual([both, [email, "New in The Golden Path: The seven"]]);
  });

  it("is waited for without locking what other instances may be working on", async () => {
    await db().transaction(async (tx) => {
      await tx.execute(sql`lock table text_announcements in share row exclusive mode`);
      await announceNewTexts();
    });
  });

  it("is not mailed if it is taken back before, nor in a first edition", async () => {
    await newMember();
    await publish("one", "two", "three");
    await announceNewTexts();
    await publish("one", "two");
    await pass(59);
    await announceNewTexts();
    await publish("another", "book");
    await announceAfterAnHour();
    expect(await queued()).toEqual([]);
  });

  it("is mailed once by three instances at a time, one of which is killed before its mails are queued", async () => {
    const { email } = await newMember();
    await publish("one", "two", "three");
    await announceNewTexts();
    await pass(59);
    await db().transaction(async (tx) => {
      await tx.execute(sql`lock table mails in access exclusive mode`);
      const killed = announceNewTexts().then(
        () => "done",
        () => "killed",
      );
      await expect
        .poll(() =>
          db()
            .execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
              where wait_event_type = 'Lock' and query ilike 'insert into "mails"%'
                and datname = current_database()`)
            .then((rows) => rows.length),
        )
        .toBe(1);
      expect(await killed).toBe("killed");
    });
    expect(await queued()).toEqual([]);
    await Promise.all([announceNewTexts(), announceNewTexts(), announceNewTexts()]);
    expect(await queued()).toEqual([[email, "New in The Golden Path: The three"]]);
  });
});

describe("the mail", () => {
  async function received(reader: Reader) {
    await publish("one", "two", "three");
    await announceAfterAnHour();
    const worker = await runMailWorker();
    await mailIdle(getDatabase());
    await worker.stop(5_000);
    const mail = smtp.delivered.find(({ recipients }) => recipients.includes(reader.email));
    if (!mail) throw new Error("There is no mail.");
    return mail;
  }
  const isOn = async ({ id }: Reader) =>
    (await db().select().from(users).where(eq(users.id, id)))[0]?.newTextsMailSince != null;

  it("leads to the text, and its link ends it without a log-in", async () => {
    const reader = await newMember();
    const suppressed = await newMember();
    await suppressAddresses([suppressed.email], "complaint");
    const mail = await received(reader);
    expect(smtp.delivered).toHaveLength(1);
    expect(mail.headers.subject).toBe("New in The Golden Path: The three");
    for (const body of [mail.text, mail.html]) {
      expect(body).toContain("Of three.");
      expect(body).toContain("/premium/chapters/three");
    }
    const { pathname, search, searchParams } = linkIn(mail, "/newsletter/unsubscribe");
    const token = searchParams.get("token") ?? "";
    const page = await get(openLink, pathname + search);
    expect(await page.json()).toEqual({ token, list: "new-texts" });
    expect(await isOn(reader)).toBe(true);
    const ended = await post(endByLink, { form: { token } });
    expect([ended.status, ended.headers.get("Location")]).toEqual([303, "/"]);
    expect((await flashOf(ended))?.toast?.title).toBe("👋 You’ve been unsubscribed.");
    expect(await isOn(reader)).toBe(false);
  });

  it("ends with one click in the mail program, and takes back what is queued", async () => {
    const reader = await newMember();
    const { headers } = await received(reader);
    expect(headers["list-unsubscribe-post"]).toBe("List-Unsubscribe=One-Click");
    await publish("one", "two", "three", "four");
    await announceAfterAnHour();
    expect(await queued()).toHaveLength(1);
    const { pathname, search } = new URL(String(headers["list-unsubscribe"]).slice(1, -1));
    const forged = search.replace(/.$/, (last) => (last === "A" ? "Q" : "A"));
    const oneClick = { form: { "List-Unsubscribe": "One-Click" } };
    expect((await post(endByLink, { path: pathname + forged, ...oneClick })).status).toBe(400);
    expect(await isOn(reader)).toBe(true);
    expect((await post(endByLink, { path: pathname + search, ...oneClick })).status).toBe(200);
    expect(await isOn(reader)).toBe(false);
    expect(await queued()).toEqual([]);
  });
});

it("is asked after the last chapter, and leads back there", async () => {
  const reader = await newMember({ wishes: false });
  const open = async (slug: string) => {
    const page = await get(readChapter, `/premium/chapters/${slug}`, reader.cookie, { slug });
    return ((await page.json()) as { newTexts: boolean | null }).newTexts;
  };
  expect([await open("one"), await open("two")]).toEqual([null, false]);
  const answer = await choose(reader, "new-texts-on", "/premium/chapters/two#new-texts");
  expect(answer.headers.get("Location")).toBe("/premium/chapters/two#new-texts");
  expect(await open("two")).toBe(true);
  await choose(reader, "new-texts-off");
  expect(await open("two")).toBe(false);
});
