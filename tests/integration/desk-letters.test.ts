import { sql } from "drizzle-orm";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { composeLetter, parseLetter } from "~/features/desk/letters/letter-text.server";
import {
  addPicture,
  findLetter,
  importLetter,
  loadLetter,
  loadPicture,
  newLetter,
  readDraft,
  renderDraft,
  saveLetter,
  testLetter,
} from "~/features/desk/letters/letters.server";
import { planSending, sendLetter } from "~/features/desk/letters/send-letter.server";
import { controlSent, duplicateSent, loadSent } from "~/features/desk/letters/sent-letters.server";
import { addressHash } from "~db/address-hash";
import { getDatabase } from "~db/client";
import { countAudience } from "~db/queries/campaigns";
import { campaigns, deskChanges, deskDrafts, mails, suppressedAddresses, users } from "~db/schema";
import { addWalkers, PNG_PIXEL } from "../support/newsletter";
import { testSite } from "../support/site";

testSite();
const db = () => getDatabase().db;

const FIELDS = {
  subject: "The first mile",
  slug: "the-first-mile",
  preview: "A start.",
  premium: false,
  body: "Dear walker,\n\ngo on.\n",
};

const newAuthor = async (email: string) => {
  const [user] = await db().insert(users).values({ email, passwordHash: "x" }).returning();
  return { userId: user?.id ?? "", email, verifiedAt: new Date() };
};
let maren: Awaited<ReturnType<typeof newAuthor>>;
let theo: typeof maren;

beforeEach(async () => {
  await db().execute(
    sql`truncate mails, campaigns, newsletter_images, subscribers, suppressed_addresses, desk_drafts, desk_changes, users cascade`,
  );
  maren = await newAuthor("maren@example.test");
  theo = await newAuthor("theo@example.test");
});

const draftOf = async (id: string) => {
  const draft = await findLetter(id);
  if (!draft) throw new Error("There is no such draft.");
  return draft;
};
const log = async () => (await db().select().from(deskChanges)).map(({ what }) => what);

/** Sends a draft as its page does, with its number of recipients typed. Returns why not. */
async function send(id: string, changes: Partial<Parameters<typeof sendLetter>[2]> = {}) {
  const wish = { audience: "subscribers", at: "" };
  const { version, slug } = (await planSending(id, wish)) ?? { version: 1, slug: FIELDS.slug };
  const people = (await countAudience("subscribers")).recipients;
  const wanted = { ...wish, version, slug, people, ...changes };
  return sendLetter(maren, id, wanted).catch((error: Error) => error.message);
}

describe("a draft", () => {
  it("keeps whatever was typed, with all its mistakes", () => {
    const line = fc
      .string({ unit: "grapheme", maxLength: 600 })
      .filter((text) => !/\p{C}/u.test(text));
    const fields = fc.record({
      subject: line,
      slug: fc.oneof(line, fc.constantFrom("null", "1.0", "---", "a: b", "- x", "#", "'", '"')),
      preview: line,
      premium: fc.boolean(),
      body: fc.oneof(fc.string(), fc.constantFrom("---\na: b\n---\n", "\n\n", "---")),
    });
    fc.assert(
      fc.property(fields, (typed) => {
        expect(parseLetter(composeLetter(typed))).toEqual(typed);
      }),
    );
  });

  it("is imported from a file for the commands, or one that they could not read", async () => {
    const file = `\ufeff---\nslug: 2026\r\nsubject: "Fog: a start"\npremium: true\n---\n\nDear walker`;
    const imported = await loadLetter(await importLetter(maren, Buffer.from(file)));
    expect(imported?.fields).toEqual({
      subject: "Fog: a start",
      slug: "2026",
      preview: "",
      premium: true,
      body: "\nDear walker",
    });
    const broken = "---\nsubject: 'x\n---\nDear walker";
    const kept = await loadLetter(await importLetter(maren, Buffer.from(broken)));
    expect(kept?.fields).toMatchObject({ subject: "", body: broken });
  });

  it("names mistakes at their fields and at the text's own lines, and is shown as far as it can be", async () => {
    const body = "Dear walker,\n\n<b>go</b>\n\n![a](photos/gate.png)";
    const id = await newLetter(maren, { ...FIELDS, slug: "The Mile", subject: "", body });
    const letter = await loadLetter(id);
    expect(letter?.problems.map(({ line, problem }) => line ?? problem.split(":")[0])).toEqual([
      "subject",
      "slug",
      ...[3, 3, 5],
    ]);
    const { issue } = await readDraft(await draftOf(id));
    const { html } = issue ? await renderDraft(issue, id) : { html: "" };
    expect(html).toContain("Dear walker");
    expect(html).not.toContain("<b>");
    await expect(testLetter(maren, id)).rejects.toThrow("it has mistakes");
  });

  it("shows a picture by its file's name, also of a folder, and refuses what a mail cannot show", async () => {
    const id = await newLetter(maren, { ...FIELDS, body: "![a](photos/My%20gate.png)" });
    const add = (name: string, bytes: Uint8Array) =>
      addPicture(maren, id, { kind: "file", name, bytes });
    expect(await add('C:\\a"><My gate.png', PNG_PIXEL)).toBe("a-My-gate.png");
    expect(await add("photos/My gate.png", PNG_PIXEL)).toBe("My-gate.png");
    await expect(
      add("large.png", Buffer.concat([PNG_PIXEL, Buffer.alloc(2 ** 20)])),
    ).rejects.toThrow("large.png is larger than 1 MB; make it smaller for phones.");
    await expect(add("a.svg", Buffer.from("<svg onload='alert(1)'/>"))).rejects.toThrow("a.svg");
    const { issue, problems } = await readDraft(await draftOf(id));
    expect(problems).toEqual([]);
    const [image] = issue?.images ?? [];
    expect((await loadPicture(id, image?.name ?? ""))?.content).toEqual(PNG_PIXEL);
    expect(await loadPicture(id, "My-gate.png")).toBeFalsy();
  });

  it("is not overwritten by an author who had not seen the other's text", async () => {
    const id = await newLetter(maren, FIELDS);
    const [ofMaren, ofTheo] = [
      { ...FIELDS, body: "Maren’s" },
      { ...FIELDS, body: "Theo’s" },
    ];
    expect(await saveLetter(maren, { id, version: 1 }, ofMaren)).toMatchObject({ version: 2 });
    expect(await saveLetter(theo, { id, version: 1 }, ofTheo)).toBeNull();
    expect(await loadLetter(id)).toMatchObject({
      version: 2,
      savedBy: "maren@example.test",
      fields: ofMaren,
    });
    expect(await saveLetter(theo, { id, version: 2 }, ofTheo)).toMatchObject({ version: 3 });
    // the same again, as after an answer that was lost, is no conflict and no version
    const again = await saveLetter(theo, { id, version: 2 }, ofTheo);
    expect(again).toMatchObject({ version: 3 });
    expect(await log()).toEqual(
      ["Began", "Wrote"].map((did) => `${did} the letter “The first mile”`),
    );
  });
});

describe("sending", () => {
  it("queues a mail for each recipient and deletes the draft, once, however often it is pressed", async () => {
    await addWalkers(50);
    const id = await newLetter(maren, FIELDS);
    const outcomes = await Promise.all([send(id), send(id), send(id)]);
    expect([...outcomes, await send(id)]).toEqual(Array(4).fill(undefined));
    expect(await db().$count(campaigns)).toBe(1);
    expect(await db().$count(mails)).toBe(50);
    expect(await findLetter(id)).toBeNull();
    expect((await log()).filter((what) => what.startsWith("Sent"))).toEqual([
      "Sent the letter “The first mile” to 50 people",
    ]);
  });

  const cases: [string, Parameters<typeof send>[1], RegExp][] = [
    ["another number was typed", { people: 1 }, /go to 2 people now/],
    ["no number was typed", { people: Number.NaN }, /go to 2 people now/],
    ["the letter was changed since", { version: 7 }, /changed meanwhile/],
    ["the time is over", { at: "2020-01-01T08:00" }, /is in the past/],
  ];
  it.each(cases)("does nothing if %s", async (_name, changes, why) => {
    await addWalkers(2);
    const id = await newLetter(maren, FIELDS);
    expect(await send(id, changes)).toMatch(why);
    expect([await db().$count(campaigns), await db().$count(deskDrafts)]).toEqual([0, 1]);
  });

  it("does nothing if somebody subscribes while it is sent, and asks for the new number", async () => {
    await addWalkers(2);
    const id = await newLetter(maren, FIELDS);
    await db().execute(sql`
      create function subscribe_one() returns trigger language plpgsql as $$ begin
        insert into subscribers (email, confirmed_at) values ('late@example.test', now()) on conflict do nothing;
        return new;
      end $$`);
    await db().execute(
      sql`create trigger late before insert on campaigns execute function subscribe_one()`,
    );
    expect(await send(id)).toMatch(/go to 3 people now/);
    await db().execute(sql`drop trigger late on campaigns`);
    expect([await db().$count(campaigns), await db().$count(mails)]).toEqual([0, 0]);
    expect(await findLetter(id)).not.toBeNull();
  });

  it("refuses a slug that was sent, and a letter with mistakes", async () => {
    await addWalkers(1);
    await send(await newLetter(maren, FIELDS));
    const again = await newLetter(maren, { ...FIELDS, body: "Another." });
    expect(await send(again)).toMatch(/was sent as “the-first-mile” before/);
    expect(await findLetter(again)).not.toBeNull();
    expect(await send(await newLetter(maren, { ...FIELDS, slug: "" }))).toMatch(/Before it can/);
  });

  it("warns of a mail that Gmail cuts off, without preventing it", async () => {
    const body = "go on, walker. ".repeat(8_000);
    const plan = await planSending(await newLetter(maren, { ...FIELDS, body }), {
      audience: "subscribers",
      at: "",
    });
    expect(plan?.warnings).toEqual([expect.stringMatching(/Gmail cuts mails off at 102 KB/)]);
    expect(plan?.refusal).toBeNull();
  });

  it("sends a letter for members to nobody else, whatever is asked", async () => {
    await addWalkers(2);
    const id = await newLetter(maren, { ...FIELDS, premium: true });
    expect(await planSending(id, { audience: "subscribers", at: "" })).toMatchObject({
      audience: "premium",
      audiences: ["premium"],
    });
    expect(await send(id)).toMatch(/go to 0 people now/);
  });
});

describe("a letter that was sent", () => {
  it("counts who left before the next one reached them", async () => {
    await addWalkers(4);
    await send(await newLetter(maren, FIELDS));
    await db().execute(
      sql`update mails set state = 'sent', finished_at = now() - interval '3 days'`,
    );
    await db().execute(sql`update campaigns set start_at = now() - interval '3 days'`);
    await send(await newLetter(maren, { ...FIELDS, slug: "second" }));
    await db().execute(
      sql`update campaigns set start_at = now() - interval '1 day' where slug = 'second'`,
    );
    await db().execute(
      sql`update mails set state = 'sent', finished_at = now() - interval '1 day' where state = 'queued'`,
    );
    const leave = (n: number, days: number, reason: "unsubscribed" | "complaint" | "hard-bounce") =>
      db()
        .insert(suppressedAddresses)
        .values({
          addressHash: addressHash(`walker${n}@example.test`),
          reason,
          createdAt: new Date(Date.now() - days * 86_400_000),
        });
    await leave(1, 2, "unsubscribed");
    await leave(2, 0, "unsubscribed");
    await leave(3, 0, "complaint");
    await leave(4, 0, "hard-bounce");
    expect((await loadSent("the-first-mile"))?.departures).toEqual({
      unsubscribed: 1,
      complained: 0,
    });
    expect((await loadSent("second"))?.departures).toEqual({ unsubscribed: 1, complained: 1 });
  });

  it("becomes a new draft with its text and pictures", async () => {
    await addWalkers(1);
    const id = await newLetter(maren, { ...FIELDS, body: "![A gate](gate.png)\n" });
    await addPicture(maren, id, { kind: "file", name: "gate.png", bytes: PNG_PIXEL });
    await send(id);
    expect(await controlSent(maren, FIELDS.slug, "cancel")).toBe("Canceled");
    expect(await controlSent(maren, FIELDS.slug, "toString")).toBeNull();
    const copy = await draftOf((await duplicateSent(maren, FIELDS.slug)) ?? "");
    const { issue, problems } = await readDraft(copy);
    expect(problems).toEqual([{ line: null, problem: expect.stringMatching(/^slug:/) }]);
    expect(issue?.images.map(({ content }) => content)).toEqual([PNG_PIXEL]);
  });
});
