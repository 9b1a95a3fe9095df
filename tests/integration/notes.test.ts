import { eq, sql } from "drizzle-orm";
import { beforeAll, describe, expect, it } from "vitest";
import { setSession } from "~/features/accounts/sessions.server";
import { action as keep } from "~/routes/auth_.unsaved/route";
import { action as postForm } from "~/routes/premium_.notes/route";
import { action as postAsWritten } from "~/routes/premium_.notes_.save/route";
import { loader as exportFile } from "~/routes/premium_.notes[.]md/route";
import { getDatabase, openDatabase } from "~db/client";
import { notes, profiles, sessions } from "~db/schema";
import { newAccount, PASSWORD } from "../support/accounts";
import { SMALL_EDITION, takeEdition } from "../support/library";
import { watchLog } from "../support/log";
import { cookiesOf, flashOf, get, post } from "../support/routes";
import { testSite } from "../support/site";
import { withoutTable } from "../support/without-database";

const site = testSite({ variables: { RATE_LIMIT_FACTOR: "1" } });
beforeAll(async () => {
  await takeEdition(SMALL_EDITION);
});

const DAY_MS = 24 * 60 * 60 * 1000;
const member = { stripePriceId: "price_1", stripeCurrentPeriodEnd: new Date(Date.now() + DAY_MS) };
const former = { stripePriceId: "price_1", stripeCurrentPeriodEnd: new Date(Date.now() - DAY_MS) };

async function newReader(profile: Partial<typeof profiles.$inferInsert> = member) {
  const { userId: id, email, token } = await newAccount();
  await getDatabase()
    .db.update(profiles)
    .set({ id, ...profile })
    .where(eq(profiles.id, id));
  const [cookie = ""] = (await setSession(token)).split(";");
  return { id, email, cookie };
}

type Reader = Awaited<ReturnType<typeof newReader>>;
type Fields = { text: string; version?: number; slug?: string } & Record<string, unknown>;

/** Saves like a page with JavaScript. */
async function save({ id, cookie }: Reader, fields: Fields) {
  const json = { slug: "gates", version: 0, owner: id, ...fields };
  const response = await post(postAsWritten, { json, cookie });
  return { status: response.status, body: await response.json() };
}

/** Saves with the button of a page without JavaScript, and goes where the answer posts it again. */
async function submit({ id, cookie }: Reader, fields: Record<string, string>) {
  const form = { slug: "gates", version: "0", owner: id, ...fields };
  const answer = await post(postForm, { form, cookie });
  return answer.status === 307 ? post(keep, { path: locationOf(answer), form, cookie }) : answer;
}

/** Logs in on the page that keeps the notes. */
async function logInAndSubmit({ id, cookie }: Reader, fields: Record<string, string>) {
  const form = { slug: "gates", version: "0", owner: id, ...fields };
  const answer = await post(keep, { path: "/auth/unsaved?to=%2Fpremium%2Fnotes", form, cookie });
  if (answer.status !== 307) return answer;
  expect(locationOf(answer)).toBe("/premium/notes");
  return post(postForm, { form, cookie: cookiesOf(answer) });
}

const locationOf = (answer: Response) => String(answer.headers.get("Location"));

async function storedNotes({ id }: Reader) {
  return getDatabase()
    .db.select({ slug: notes.slug, text: notes.text, version: notes.version })
    .from(notes)
    .where(eq(notes.userId, id))
    .orderBy(notes.slug);
}

describe("notes that are saved during writing", () => {
  it("are stored with their version, which only changes increment", async () => {
    const reader = await newReader();
    expect(await save(reader, { text: "One gate." })).toEqual({
      status: 200,
      body: { version: 1, insertions: [] },
    });
    expect((await save(reader, { text: "Two gates.", version: 1 })).body.version).toBe(2);
    expect((await save(reader, { text: "Two gates.", version: 2 })).body.version).toBe(2);
    expect(await storedNotes(reader)).toEqual([{ slug: "gates", text: "Two gates.", version: 2 }]);
  });

  it("on an older version are merged with the newer one, and the response says what was missing", async () => {
    const reader = await newReader();
    await save(reader, { text: "One.\n\nThree." });
    await save(reader, { text: "One.\n\nTwo.\n\nThree.", version: 1 });
    expect(await save(reader, { text: "One.\n\nThree.\n\nFour.", version: 1 })).toEqual({
      status: 200,
      body: { version: 3, insertions: [{ at: 6, text: "Two.\n\n" }] },
    });
    expect((await storedNotes(reader))[0]?.text).toBe("One.\n\nTwo.\n\nThree.\n\nFour.");
  });

  it("replace the same page's previous save whose response was lost", async () => {
    const reader = await newReader();
    await save(reader, { text: "The laek was still." });
    const later = { text: "The lake was still.", version: 0, unconfirmed: "The laek was still." };
    expect((await save(reader, later)).body).toEqual({ version: 2, insertions: [] });
  });

  it("can be cleared, and a page that still has them never overwrites later ones", async () => {
    const reader = await newReader();
    await save(reader, { text: "A secret." });
    expect((await save(reader, { text: "", version: 1 })).body.version).toBe(2);
    expect((await save(reader, { text: "New.", version: 2 })).body.version).toBe(3);
    await save(reader, { text: "A secret.", version: 1 });
    expect((await storedNotes(reader))[0]?.text).toBe("New.\n\nA secret.");
  });

  it("lose nothing when ten pages save at once, the first time and later", async () => {
    const reader = await newReader();
    for (const round of ["first", "second"]) {
      const before = (await storedNotes(reader))[0];
      const texts = Array.from({ length: 10 }, (_, n) => `The ${round} of page ${n}.`);
      const { text: already = "", version = 0 } = before ?? {};
      const answers = await Promise.all(
        texts.map((text) => save(reader, { text: `${already}\n\n${text}`.trim(), version })),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
      const paragraphs = (await storedNotes(reader))[0]?.text.split("\n\n") ?? [];
      for (const text of texts) expect(paragraphs.filter((one) => one === text)).toEqual([text]);
      expect(paragraphs).toHaveLength(round === "first" ? 10 : 20);
    }
  });

  it("wait for another process that is saving, and keep its notes", async () => {
    const reader = await newReader();
    await save(reader, { text: "One." });
    const other = openDatabase(site.databaseUrl);
    let saving: ReturnType<typeof save> | undefined;
    try {
      await other.db.transaction(async (transaction) => {
        await transaction.execute(
          sql`update notes set text = ${"One.\n\nTheirs."}, version = 2 where user_id = ${reader.id}`,
        );
        saving = save(reader, { text: "One.\n\nMine.", version: 1 });
        const waiting = sql`select from pg_locks where not granted`;
        await expect
          .poll(async () => (await getDatabase().db.execute(waiting)).length)
          .toBeGreaterThan(0);
      });
    } finally {
      await other.close();
    }
    expect((await saving)?.body.version).toBe(3);
    expect((await storedNotes(reader))[0]?.text).toBe("One.\n\nTheirs.\n\nMine.");
  });

  it("leave connections to others while forty wait for one row", async () => {
    const reader = await newReader();
    await save(reader, { text: "One." });
    const other = openDatabase(site.databaseUrl);
    let saving: Promise<{ status: number }[]> | undefined;
    try {
      await other.db.transaction(async (transaction) => {
        await transaction.execute(sql`select from notes where user_id = ${reader.id} for update`);
        const texts = Array.from({ length: 40 }, (_, n) => `Page ${n}.`);
        saving = Promise.all(texts.map((text) => save(reader, { text })));
        // by then every connection would wait
        for (let query = 0; query < 200; query += 1) await getDatabase().db.execute(sql`select`);
      });
    } finally {
      await other.close();
    }
    expect((await saving)?.every(({ status }) => status === 200)).toBe(true);
  });

  it("may have 100,000 characters of the largest kind, and no more", async () => {
    const reader = await newReader();
    const longest = "\u9053".repeat(100_000);
    expect((await save(reader, { text: longest, unconfirmed: longest })).status).toBe(200);
    expect(await save(reader, { text: `${longest}!`, version: 1 })).toEqual({
      status: 422,
      body: { error: "Notes on one text can have at most 100,000 characters. Yours have 100,001." },
    });
    const merged = await save(reader, { text: "Something else." });
    expect(merged.status).toBe(422);
    expect(merged.body.error).toContain("Both versions together have 100,017 characters");
    expect((await storedNotes(reader))[0]).toMatchObject({ text: longest, version: 1 });
    const larger = await newReader();
    const json = { slug: "gates", version: 0, owner: larger.id, text: "x".repeat(1_000_000) };
    expect((await post(postAsWritten, { json, cookie: larger.cookie })).status).toBe(413);
  });

  it("are stored without characters that PostgreSQL cannot store", async () => {
    const reader = await newReader();
    expect((await save(reader, { text: "a\0b\r\nc\rd \ud800 \u{1f304}" })).status).toBe(200);
    expect((await storedNotes(reader))[0]?.text).toBe("ab\nc\nd \ufffd \u{1f304}");
  });

  it.each([
    ["unknown text", { slug: "nowhere" }, 404],
    ["text that is not published yet", { slug: "later" }, 404],
    ["text whose name PostgreSQL cannot store", { slug: "a\0b" }, 400],
  ])("on an %s are refused", async (_name, fields, status) => {
    const reader = await newReader();
    expect((await save(reader, { text: "One.", ...fields })).status).toBe(status);
    expect(await storedNotes(reader)).toEqual([]);
  });

  it("are accepted after the membership has ended, and refused without a past one", async () => {
    const reader = await newReader(former);
    expect(await save(reader, { text: "One." })).toMatchObject({
      status: 200,
      body: { version: 1, redirectTo: "/", toast: { title: "Your notes are saved." } },
    });
    const never = await newReader({});
    expect((await save(never, { text: "One." })).status).toBe(403);
    expect(await storedNotes(never)).toEqual([]);
  });

  it("are refused without a session, and from a page of another account", async () => {
    const reader = await newReader();
    const other = await newReader();
    const nobody = { ...reader, cookie: "" };
    expect(await save(nobody, { text: "One." })).toEqual({
      status: 401,
      body: { error: "You’re logged out.", signedOut: true },
    });
    const foreign = await save({ ...reader, cookie: other.cookie }, { text: "One." });
    expect(foreign).toMatchObject({ status: 403, body: { signedOut: true } });
    expect(await storedNotes(reader)).toEqual([]);
    expect(await storedNotes(other)).toEqual([]);
  });

  it.each([
    ["no text", { text: undefined }],
    ["a text sent twice", { text: ["a", "b"] }],
    ["no version", { version: "first" }],
    ["a version below nothing", { version: -1 }],
    ["a version beyond the database's", { version: 2 ** 31 }],
    ["no slug", { slug: "" }],
  ])("with %s are refused", async (_name, fields) => {
    const reader = await newReader();
    const answer = await save(reader, { text: "One.", ...fields } as unknown as Fields);
    expect(answer.status).toBe(400);
  });

  it("never appear in the log, even when they cannot be saved", async () => {
    const reader = await newReader();
    const lines = watchLog();
    const answer = await withoutTable("notes", () => save(reader, { text: "My secret." }));
    expect(answer.status).toBe(500);
    expect(lines.map(({ message }) => message)).toEqual(["notes could not be saved"]);
  });
});

describe("notes that are posted as a form", () => {
  it("lead back to their page", async () => {
    const reader = await newReader();
    const saved = await submit(reader, { text: "One.\r\nTwo." });
    expect(saved.status).toBe(303);
    expect(saved.headers.get("Location")).toBe("/premium/chapters/gates#notes");
    expect((await flashOf(saved))?.toast?.title).toBe("Your notes are saved.");
    expect((await storedNotes(reader))[0]?.text).toBe("One.\nTwo.");
    const merged = await submit(reader, { text: "Three." });
    expect((await flashOf(merged))?.toast?.description).toContain("The page has both versions");
    const extra = await submit(reader, { slug: "one-drawer", text: "Four." });
    expect(extra.headers.get("Location")).toBe("/premium/extras/one-drawer#notes");
  });

  it("may be 100,000 characters of the largest kind, percent-encoded", async () => {
    const reader = await newReader();
    const longest = "\u9053".repeat(100_000);
    expect((await submit(reader, { text: longest })).status).toBe(303);
    expect((await storedNotes(reader))[0]?.text).toBe(longest);
  });

  it("return with the reason if they are too long", async () => {
    const reader = await newReader();
    const text = "x".repeat(100_001);
    const refused = await submit(reader, { text });
    expect(refused.headers.get("Cache-Control")).toBe("private, no-store");
    expect(await refused.json()).toMatchObject({
      to: "/premium/notes",
      fields: expect.arrayContaining([["text", text]]),
      signInAs: null,
    });
  });

  it("return after the session has ended, and are saved by logging in", async () => {
    const reader = await newReader();
    await submit(reader, { text: "One." });
    await getDatabase().db.delete(sessions).where(eq(sessions.userId, reader.id));
    const asked = await submit(reader, { text: "One.\n\nTwo.", version: "1" });
    expect(await asked.json()).toEqual({
      to: "/premium/notes",
      heading: "Your notes aren’t saved yet",
      confirmAt: null,
      fields: Object.entries({
        slug: "gates",
        version: "1",
        owner: reader.id,
        text: "One.\n\nTwo.",
      }),
      message: "You’ve been logged out. Log in to save what you wrote.",
      signInAs: "",
    });
    expect((await storedNotes(reader))[0]?.text).toBe("One.");

    const written = { text: "One.\n\nTwo.", version: "1", "log-in-as": reader.email };
    const rejected = await logInAndSubmit(reader, { ...written, password: "wrong" });
    expect(rejected.status).toBe(401);
    const page = await rejected.json();
    expect(page).toMatchObject({ message: "Invalid login credentials.", signInAs: reader.email });
    expect(page.fields.map(([name]: string[]) => name)).not.toContain("password");

    const saved = await logInAndSubmit(reader, { ...written, password: PASSWORD });
    expect(locationOf(saved)).toBe("/premium/chapters/gates#notes");
    expect(await storedNotes(reader)).toEqual([
      { slug: "gates", text: "One.\n\nTwo.", version: 2 },
    ]);
  });

  it("from another account's page are saved to the account that logs in, beside its own", async () => {
    const owner = await newReader();
    const other = await newReader();
    await submit(other, { text: "Theirs." });
    const asked = await submit({ ...owner, cookie: other.cookie }, { text: "Mine.", version: "1" });
    expect(await asked.json()).toMatchObject({ signInAs: "" });
    const credentials = { "log-in-as": other.email, password: PASSWORD };
    await logInAndSubmit({ ...owner, cookie: "" }, { text: "Mine.", version: "1", ...credentials });
    expect((await storedNotes(other))[0]?.text).toBe("Theirs.\n\nMine.");
    expect(await storedNotes(owner)).toEqual([]);
  });

  it("are subject to the log-in limits, and never lost by them", async () => {
    const reader = await newReader();
    const fields = { text: "One.", "log-in-as": reader.email, password: "wrong" };
    const statuses: number[] = [];
    let last: Response | undefined;
    for (let attempt = 1; attempt <= 11; attempt += 1) {
      last = await logInAndSubmit({ ...reader, cookie: "" }, fields);
      statuses.push(last.status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    expect(Number(last?.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await last?.json()).toMatchObject({ signInAs: reader.email });
  });
});

describe("the file of all notes", () => {
  it("has them in the edition's order, with those of deleted texts last", async () => {
    const reader = await newReader(former);
    const updatedAt = new Date("2026-03-04T05:06:07Z");
    const row = (slug: string, text: string, title = "An old title") => ({
      userId: reader.id,
      slug,
      title,
      text,
      updatedAt,
    });
    await getDatabase()
      .db.insert(notes)
      .values([
        row("gone", "# Gone?\n", "A lost chapter"),
        row("one-drawer", "Emptied."),
        row("hills", ""),
        row("gates", "Opened one.\n\nThen another."),
      ]);
    const file = await get(exportFile, "/premium/notes.md", reader.cookie);
    expect(Object.fromEntries(file.headers)).toEqual({
      "cache-control": "private, no-store",
      "content-disposition": 'attachment; filename="notes.md"',
      "content-type": "text/markdown; charset=utf-8",
    });
    expect(await file.text()).toBe(
      [
        "# Notes on The Golden Path",
        "## Chapter 1: Gates",
        "*March 4, 2026*",
        "Opened one.",
        "Then another.",
        "## One Drawer",
        "*March 4, 2026*",
        "Emptied.",
        "## A lost chapter",
        "*March 4, 2026*",
        "# Gone?\n",
      ].join("\n\n"),
    );
  });

  it("is the owner's alone", async () => {
    const reader = await newReader();
    await save(reader, { text: "A secret." });
    const other = await newReader();
    const file = await get(exportFile, "/premium/notes.md", other.cookie);
    expect(await file.text()).toBe("# Notes on The Golden Path\n\nYou don’t have any notes yet.\n");
    const nobody = await get(exportFile, "/premium/notes.md");
    expect([nobody.status, nobody.headers.get("Location")]).toEqual([302, "/"]);
  });
});
