import { createHash, randomUUID } from "node:crypto";
import { eq, getTableColumns, is, type SQL, sql } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { afterEach, describe, expect, it } from "vitest";
import { openAccountExport } from "~/features/my-account/export-account.server";
import { loader as download } from "~/routes/account_.data[.]json/route";
import { action as signUp } from "~/routes/auth_.signup/route";
import { getDatabase } from "~db/client";
import * as schema from "~db/schema";
import { cookiesOf, flashOf, get, post } from "../support/routes";
import { testSite } from "../support/site";
import { withoutTable } from "../support/without-database";

const PATH = "/account/data.json";

/** Each column's path in the export, with 0 for a list's first item. */
const PLACES: Record<string, string> = {
  users: "account",
  account_deletions: "account",
  profiles: "membership",
  stripe_prices: "membership.price",
  webhook_events: "paymentEvents.0",
  sessions: "sessions.0",
  passkeys: "passkeys.0",
  password_resets: "passwordReset",
  email_changes: "emailChanges.0",
  avatars: "picture",
  subscribers: "newsletter",
  suppressed_addresses: "suppression",
  mails: "mails.0",
  podcast_feeds: "podcast",
  membership_grants: "membership.complimentary",
  memberships: "memberships.0",
  reading_progress: "readingProgress.0",
  notes: "notes.0",
  highlights: "highlights.0",
  desk_changes: "deskChanges.0",
};

/** Columns that have another name in the export. */
const RENAMED: Record<string, string> = {
  "account_deletions.startedAt": "deletionStartedAt",
  "avatars.large": "content",
  "avatars.largeSha256": "sha256",
};

const OWNER = "It is the account's id, which the export begins with.";
const SECRET = "It is a secret's hash, or a secret: a file that lies about must open nothing.";
const DELIVERY = "How the program delivers a mail; it says nothing about its addressee.";

/** Columns and whole tables left out of the export, with the reason. */
const LEFT_OUT: Record<string, string> = {
  "users.passwordHash": SECRET,
  "users.isPasswordGuessable": "It would tell the finder of the file which account to try.",
  "account_deletions.userId": OWNER,
  "profiles.id": OWNER,
  "membership_grants.userId": OWNER,
  "memberships.id": "Random; nothing refers to it.",
  "memberships.userId": OWNER,
  "memberships.person": "Random, and known nowhere else.",
  "webhook_events.stripeCustomerId": "It is the membership's customer.",
  "sessions.tokenHash": SECRET,
  "sessions.userId": OWNER,
  "passkeys.id":
    "With the public key, what the site recognizes the authenticator by; of no other use.",
  "passkeys.userId": OWNER,
  "passkeys.publicKey": "What the site recognizes the authenticator by; of no other use.",
  "passkeys.counter": "What the site recognizes a copied authenticator by; of no other use.",
  "password_resets.userId": OWNER,
  "password_resets.tokenHash": SECRET,
  "email_changes.id": "A number of a row that is deleted within days; nothing refers to it.",
  "email_changes.userId": OWNER,
  "email_changes.confirmTokenHash": SECRET,
  "email_changes.undoTokenHash": SECRET,
  "avatars.userId": OWNER,
  "avatars.small": "The same picture, smaller.",
  "avatars.smallSha256": "Of the same picture, smaller.",
  "subscribers.unsubscribeToken": SECRET,
  "suppressed_addresses.addressHash": "It is the account's address.",
  "podcast_feeds.userId": OWNER,
  "podcast_feeds.token": "Whoever has it hears the book. The podcast page shows it to its owner.",
  "reading_progress.userId": OWNER,
  "notes.userId": OWNER,
  "highlights.userId": OWNER,
  "highlights.searched": "Quote and note once more, without accents.",
  "highlights.renderKey": "The rendering of the text that the program last compared.",
  "mails.id": DELIVERY,
  "mails.priority": DELIVERY,
  "mails.idempotencyKey": DELIVERY,
  "mails.recipient": "It is the account's address, and deleted once the mail is sent.",
  "mails.addressHash": "It is the account's address.",
  "mails.campaignId": "Exported as the slug of the issue.",
  "mails.subscriberId": "It is the newsletter entry's id.",
  "mails.message": "It may hold links that are credentials, and is deleted once the mail is sent.",
  "mails.dueAt": DELIVERY,
  "mails.expiresAt": DELIVERY,
  "mails.attempts": DELIVERY,
  "mails.timesInDoubt": DELIVERY,
  "mails.workerId": DELIVERY,
  "mails.claimedAt": DELIVERY,
  "mails.lastReply": DELIVERY,
  "mails.leadsTo": "An address of this site, which is deleted once the mail is written.",
  "desk_changes.id": "Random; nothing refers to it.",
  "desk_changes.userId": OWNER,
  "desk_changes.aboutUserId": OWNER,
  desk_drafts: "The author's letters and texts.",
  desk_files: "Pictures of the author's letters, and lists that are deleted within a day.",
  used_challenges: "Hashes of random numbers, or of an address and a moment, for 30 days at most.",
  rate_limits: "Counts by digest that are deleted within a day, and cannot be read back.",
  campaigns: "The newsletter's issues, public but for what members read.",
  newsletter_images: "Of the newsletter's issues.",
  mail_workers: "The program's own.",
  operator_matters:
    "What the operator was told of: at most a dispute's id at Stripe, whose payment the member's bank has.",
  operator_signals: "Counts of webhooks.",
  program_starts: "The program's own.",
  renewal_failures: "Times under hashes of Stripe's ids, that nobody can find an account by.",
  mail_token_buckets: "The program's own.",
  site_keys: "The site's secrets.",
  stripe_site: "The site's id at Stripe.",
  editions: "The book.",
  edition_documents: "The book.",
  edition_files: "The book.",
  text_announcements: "The book.",
  former_subscribers: "Dates of nobody in particular.",
  former_accounts: "Dates of nobody in particular.",
  visitor_salts: "A day's random number.",
  visitor_hashes: "Hashes of a day's visitors, that nobody can find an account by.",
  daily_visitors: "Counts of visitors.",
  debits_after_deletion: "It is of customers whose account is deleted.",
};

testSite();
let count = 0;
const database = () => getDatabase().db;
afterEach(async () => {
  await database().execute(sql`truncate suppressed_addresses, subscribers, mails`);
});

/** A new account with a confirmed address. */
async function newAccount() {
  const email = `exporter-${++count}@example.test`;
  const answer = await post(signUp, { form: { email, password: "a long walk" } });
  const [user] = await database()
    .update(schema.users)
    .set({ emailConfirmedAt: new Date() })
    .where(eq(schema.users.email, email))
    .returning();
  if (!user) throw new Error("There is no account.");
  return { userId: user.id, email, cookie: cookiesOf(answer) };
}

async function exported(userId: string): Promise<string> {
  const outcome = await openAccountExport(userId);
  if (outcome.kind !== "opened") throw new Error(outcome.kind);
  let text = "";
  for await (const part of outcome.parts) text += part;
  return text;
}

const read = async (userId: string) => JSON.parse(await exported(userId));

function at(value: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>((within, key) => (within as Record<string, unknown> | null)?.[key], value);
}

const tables = (Object.values(schema) as unknown[]).filter((value): value is PgTable =>
  is(value, PgTable),
);
const nameOf = (table: PgTable) => getTableConfig(table).name;

const hashOf = (email: string) => createHash("sha256").update(email).digest();

/** Bytes whose header is that of a picture. */
const PICTURE = Buffer.concat([Buffer.from("RIFF____WEBP"), Buffer.alloc(300, 7)]);

const columnsOf = (table: PgTable) =>
  Object.entries(getTableColumns(table)).map(([key, column]) => ({
    key,
    column,
    name: `${nameOf(table)}.${key}`,
  }));

/** Inserts a row of an account into every exported table, with a value in every exported column. */
async function fillEveryTable({ userId, email }: { userId: string; email: string }) {
  const mark = randomUUID();
  const known: Record<string, unknown> = {
    "profiles.stripeCustomerId": `cus_${mark}`,
    "webhook_events.stripeCustomerId": `cus_${mark}`,
    "profiles.stripePriceId": `price_${mark}`,
    "stripe_prices.id": `price_${mark}`,
    "email_changes.newEmail": email,
    "avatars.large": PICTURE,
    "subscribers.email": email.toUpperCase(),
    "subscribers.consentSource": "the book fair",
    "suppressed_addresses.addressHash": hashOf(email),
    "mails.kind": "membership-begun",
    "mails.state": "sent",
    "mails.addressHash": hashOf(email),
  };
  let count = 0;
  const sampleValue = ({ key, name, column }: ReturnType<typeof columnsOf>[number]) => {
    if (key === "userId") return userId;
    if (name in known) return known[name];
    const isNeeded = !LEFT_OUT[name] || LEFT_OUT[name] === SECRET;
    if (!isNeeded && (column.hasDefault || !column.notNull)) return undefined;
    count++;
    if (column.columnType === "PgUUID") return randomUUID();
    switch (column.dataType) {
      case "date":
        return new Date(Date.UTC(2026, 4, 1, 6, 0, count));
      case "number":
        return count;
      case "boolean":
        return true;
      case "array":
        return ["internal", "hybrid"];
      case "custom":
        return Buffer.from(`${name}-${mark}`);
      default:
        return `${name}-${mark}`;
    }
  };
  for (const table of tables) {
    const name = nameOf(table);
    if (!PLACES[name]) continue;
    const row = Object.fromEntries(columnsOf(table).map((each) => [each.key, sampleValue(each)]));
    if (name === "users" || name === "profiles") {
      const { id: _id, email: _email, passwordHash: _hash, ...changes } = row;
      await database().update(table).set(changes).where(sql`id = ${userId}`);
      continue;
    }
    // rows from the sign-up
    if (name === "sessions") await database().delete(table).where(sql`user_id = ${userId}`);
    if (name === "mails") await database().delete(table);
    await database().insert(table).values(row);
  }
  return { mark };
}

/** Returns the condition for an account's rows in a table. */
function ownRows(table: PgTable, account: { userId: string; email: string; mark: string }): SQL {
  const columns = getTableColumns(table);
  if (columns.userId) return eq(columns.userId, account.userId);
  switch (nameOf(table)) {
    case "users":
    case "profiles":
      return sql`id = ${account.userId}`;
    case "stripe_prices":
      return sql`id = ${`price_${account.mark}`}`;
    case "webhook_events":
      return sql`stripe_customer_id = ${`cus_${account.mark}`}`;
    case "subscribers":
      return sql`lower(email) = ${account.email}`;
    default:
      return eq(columns.addressHash as never, hashOf(account.email) as never);
  }
}

describe("the export of an account", () => {
  it("has a path for every column of the database, or a reason to leave it out", () => {
    // columns of tables with a path are exported unless left out; the next test checks that
    const unknown = tables.map(nameOf).filter((name) => !PLACES[name] === !LEFT_OUT[name]);
    expect(unknown).toEqual([]);

    const names = new Set(
      tables.flatMap((table) => [nameOf(table), ...columnsOf(table).map(({ name }) => name)]),
    );
    const listed = [LEFT_OUT, RENAMED, PLACES].flatMap(Object.keys);
    expect(listed.filter((name) => !names.has(name))).toEqual([]);
  });

  it("has the stored value of each of these columns, and no secret", async () => {
    const account = await newAccount();
    const { mark } = await fillEveryTable(account);
    const text = await exported(account.userId);
    const data = JSON.parse(text);
    const differences: unknown[] = [];
    let compared = 0;
    for (const table of tables) {
      const place = PLACES[nameOf(table)];
      if (!place) continue;
      const [row] = await database()
        .select()
        .from(table)
        .where(ownRows(table, { ...account, mark }));
      for (const { key, name } of columnsOf(table)) {
        if (LEFT_OUT[name]) continue;
        const path = `${place}.${RENAMED[name] ?? key}`;
        const stored = (row as Record<string, unknown> | undefined)?.[key];
        const shown = Buffer.isBuffer(stored)
          ? `data:image/webp;base64,${stored.toString("base64")}`
          : JSON.parse(JSON.stringify(stored ?? null));
        const found = at(data, path);
        compared++;
        if (shown === null || JSON.stringify(found) !== JSON.stringify(shown)) {
          differences.push({ path, stored: shown, found });
        }
      }
    }
    expect(differences).toEqual([]);
    expect(compared).toBeGreaterThan(80);
    for (const name of Object.keys(LEFT_OUT)) expect(text).not.toContain(`${name}-${mark}`);
    expect(text).not.toContain("$argon2");
  });

  it("has the documented shape, and nothing of other accounts", async () => {
    const other = await newAccount();
    const { mark } = await fillEveryTable(other);
    const { userId, email } = await newAccount();
    const text = await exported(userId);
    expect(JSON.parse(text)).toEqual({
      exportedAt: expect.any(String),
      account: expect.objectContaining({ id: userId, email }),
      membership: expect.objectContaining({
        stripeCustomerId: null,
        price: null,
        complimentary: null,
      }),
      memberships: [],
      paymentEvents: [],
      sessions: [expect.objectContaining({ verifiedBy: "password" })],
      passkeys: [],
      passwordReset: null,
      emailChanges: [],
      withheld: null,
      newsletter: null,
      suppression: null,
      mails: [expect.objectContaining({ kind: "account-welcome" })],
      podcast: null,
      readingProgress: [],
      notes: [],
      highlights: [],
      deskChanges: [],
      picture: null,
    });
    expect(text).not.toContain(mark);
    expect(text).not.toContain(other.userId);
    expect(text).not.toContain(other.email);
  });

  it("lists the address's queued, failed and newsletter mail by kind and time, without content", async () => {
    const { userId, email } = await newAccount();
    await database().execute(sql`truncate mails`);
    const message = { subject: "Secret words", text: "Secret words", html: "Secret words" };
    const [campaign] = await database()
      .insert(schema.campaigns)
      .values({
        slug: `first-mile-${count}`,
        audience: "subscribers",
        subject: "The first mile",
        previewText: "",
        markdown: "Walk.",
        startAt: new Date(),
      })
      .returning();
    const mail = (
      to: string,
      day: number,
      values: Partial<typeof schema.mails.$inferInsert>,
    ): typeof schema.mails.$inferInsert => ({
      kind: "membership-begun",
      priority: 1,
      addressHash: hashOf(to),
      createdAt: new Date(Date.UTC(2026, 4, day)),
      expiresAt: new Date(Date.UTC(2027, 1, 1)),
      ...values,
    });
    const finishedAt = new Date(Date.UTC(2026, 5, 1));
    await database()
      .insert(schema.mails)
      .values([
        mail(email, 1, { recipient: email, message }),
        mail(email, 2, { recipient: email, message, state: "sending", workerId: randomUUID() }),
        mail(email, 3, { recipient: email, message, state: "failed", finishedAt }),
        mail(email, 4, { kind: "campaign", campaignId: campaign?.id, state: "sent", finishedAt }),
        mail("else@example.test", 5, { recipient: "else@example.test", message }),
      ]);
    const text = await exported(userId);
    expect(JSON.parse(text).mails).toEqual([
      {
        kind: "campaign",
        state: "sent",
        issue: `first-mile-${count}`,
        createdAt: "2026-05-04T00:00:00.000Z",
        finishedAt: finishedAt.toISOString(),
      },
      expect.objectContaining({ state: "failed", issue: null }),
      expect.objectContaining({ state: "sending", finishedAt: null }),
      expect.objectContaining({ state: "queued", createdAt: "2026-05-01T00:00:00.000Z" }),
    ]);
    expect(text).not.toContain("Secret words");
  });

  it("withholds data about an unconfirmed address", async () => {
    const squatter = await newAccount();
    await fillEveryTable(squatter);
    await database()
      .update(schema.users)
      .set({ emailConfirmedAt: null })
      .where(eq(schema.users.id, squatter.userId));
    const text = await exported(squatter.userId);
    expect(JSON.parse(text)).toMatchObject({
      withheld: expect.stringMatching(/hasn’t been confirmed.*newsletter, suppression and mails/),
      newsletter: null,
      suppression: null,
      mails: [],
    });
    expect(text).not.toContain("the book fair");
  });

  it("keeps notes unchanged, in plain characters", async () => {
    const { userId } = await newAccount();
    const hostile = [
      "</script><script>alert(1)</script><!-- ]]>",
      '\u0001\u0007\u001b[2J\u007f\u009b2J\r\n\t\\ "',
      "\u202egnp.exe\u200b\u2066\ufeff\u2028\u2029\u{e0041}",
      '👩‍👩‍👧 naïve Ω 你好 \u{10ffff} "}]}\n}\n{"account": null',
    ].join("");
    await database()
      .insert(schema.notes)
      .values({ userId, slug: "gates", title: hostile, text: hostile });
    const text = await exported(userId);
    expect(JSON.parse(text).notes[0]).toMatchObject({ title: hostile, text: hostile });
    expect(text).not.toMatch(/[<\u2028\u2029]|(?!\n)\p{Cc}|\p{Cf}|\p{Cs}/u);
  });

  it("keeps long notes whole, wherever they are split", async () => {
    const { userId } = await newAccount();
    for (const [index, repeated] of ["👩", "a👩", "<\u202e\u0001", "é\u{e0041}"].entries()) {
      const text = repeated.repeat(20_000);
      const slug = `text-${index}`;
      await database().insert(schema.notes).values({ userId, slug, title: "", text });
      expect((await read(userId)).notes[index].text === text).toBe(true);
    }
  });

  it("reads thousands of rows in pages, and misses none", async () => {
    const { userId } = await newAccount();
    await database().execute(sql`
      insert into reading_progress (user_id, slug, block)
      select ${userId}, 'text-' || n, n from generate_series(1, 1500) n`);
    await database().execute(sql`
      insert into sessions (token_hash, user_id, expires_at)
      select ${userId} || n, ${userId}, now() from generate_series(1, 1000) n`);
    const data = await read(userId);
    expect(data.readingProgress).toHaveLength(1500);
    expect(new Set(data.readingProgress.map(({ slug }: { slug: string }) => slug)).size).toBe(1500);
    expect(data.sessions).toHaveLength(1001);
    expect(new Set(data.sessions.map(({ id }: { id: string }) => id)).size).toBe(1001);
  });
});

describe("the download", () => {
  it("is an uncacheable file for its owner alone", async () => {
    const { cookie, email, userId } = await newAccount();
    const answer = await get(download, PATH, cookie);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toEqual({
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="account.json"',
      "cache-control": "private, no-store",
    });
    expect((await answer.json()).account).toMatchObject({ id: userId, email });
    expect((await get(download, PATH)).headers.get("Location")).toBe("/auth?leads-to=%2Faccount");
  });

  it("requires a password confirmation of the last ten minutes, and leads back to its section", async () => {
    const { cookie, userId } = await newAccount();
    const verified = (ago: string) =>
      database().execute(
        sql`update sessions set verified_at = now() - ${ago}::interval where user_id = ${userId}`,
      );
    await verified("601 seconds");
    const answer = await get(download, PATH, cookie);
    expect(answer.status).toBe(302);
    expect(answer.headers.get("Location")).toBe("/account/verify?next=%2Faccount%23data");
    await verified("590 seconds");
    expect((await get(download, PATH, cookie)).status).toBe(200);
  });

  it("fails with a toast in its section while the database is down", async () => {
    const { cookie } = await newAccount();
    const answer = await withoutTable("account_deletions", () => get(download, PATH, cookie));
    expect(answer.headers.get("Location")).toBe("/account#data");
    expect((await flashOf(answer))?.toast).toMatchObject({ variant: "destructive" });
  });

  it("is aborted, not shortened, when the database fails half-way", async () => {
    const { cookie, userId } = await newAccount();
    await database().insert(schema.notes).values({ userId, slug: "a", title: "a", text: "a" });
    await withoutTable("notes", async () => {
      const answer = await get(download, PATH, cookie);
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow();
    });
  });

  it("reads notes no faster than the client", async () => {
    const { cookie, userId } = await newAccount();
    await database()
      .insert(schema.notes)
      .values(["a", "b", "c"].map((slug) => ({ userId, slug, title: slug, text: `${slug}-text` })));
    const reader = (await get(download, PATH, cookie)).body?.getReader();
    const decoder = new TextDecoder();
    let text = "";
    while (!text.includes("a-text")) {
      const { value, done } = (await reader?.read()) ?? { done: true };
      if (done) throw new Error("The file ended.");
      text += decoder.decode(value);
    }
    await database()
      .update(schema.notes)
      .set({ text: "changed meanwhile" })
      .where(eq(schema.notes.slug, "c"));
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      text += decoder.decode(next.value);
    }
    expect(JSON.parse(text).notes[2].text).toBe("changed meanwhile");
  });
});
