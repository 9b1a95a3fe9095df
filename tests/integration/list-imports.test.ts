import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { importSubscribers } from "~/features/newsletter/import-subscribers.server";
import { type Database, openDatabase, setDatabase } from "~db/client";
import { unsubscribeByEmail } from "~db/queries/subscribers";
import { findSuppressionReason } from "~db/queries/suppressed-addresses";
import { runCommand } from "../support/command";
import { createTestDatabase, type TestDatabase } from "../support/postgres";
import { temporaryDirectory } from "../support/program";

let testDatabase: TestDatabase;
let database: Database;
let folder: ReturnType<typeof temporaryDirectory>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  folder = temporaryDirectory();
  setEnvironment({
    DATABASE_URL: testDatabase.url,
    DATA_DIR: folder.path,
    LOG_LEVEL: "silent",
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  folder.remove();
});
beforeEach(async () => {
  setDatabase(database);
  await database.db.execute(sql`truncate subscribers, suppressed_addresses, former_subscribers`);
});

function fileOf(...lines: string[]): string {
  const file = join(folder.path, "list.csv");
  writeFileSync(file, lines.join("\n"));
  return file;
}

const importFile = (...lines: string[]) =>
  importSubscribers(fileOf(...lines), { source: "moved", isDryRun: false });

/** Runs the command, which opens and closes a connection of its own. */
async function command(...parameters: string[]) {
  const result = await runCommand("subscribers", "import", ...parameters, "--source", "moved");
  setDatabase(database);
  return result;
}

/** The local parts of the addresses, in order, that would get an issue sent now. */
async function recipients(): Promise<string[]> {
  const rows = await database.db.execute<{ name: string }>(sql`
    select split_part(email, '@', 1) as name from subscribers
    where confirmed_at is not null and not exists (
      select from suppressed_addresses where address_hash = sha256(convert_to(email, 'UTF8')))
    order by name`);
  return rows.map(({ name }) => name);
}

const reasonOf = (name: string) => findSuppressionReason(`${name}@example.test`);

/** An export's heading and rows; the local part of each address says what its owner wants. */
const EXPORTS: Record<string, string[]> = {
  Ghost: [
    "id,email,name,note,subscribed_to_emails,complimentary_plan,stripe_customer_id,created_at,deleted_at,labels,tiers",
    "1,kept@example.test,,,true,false,,2024-01-02T03:04:05.000Z,,,",
    "2,left@example.test,,,false,false,,2024-01-02T03:04:05.000Z,,,",
    "3,left-too@example.test,,,TRUE,false,,2024-01-02T03:04:05.000Z,2025-01-01T00:00:00.000Z,,",
  ],
  Substack: [
    "email,active_subscription,expiry,plan,email_disabled,created_at,first_payment_at",
    "kept@example.test,true,2027-01-01,yearly,false,2024-01-02T03:04:05.000Z,",
    "kept-too@example.test,false,,other,false,2024-01-02,",
    "left@example.test,true,2027-01-01,yearly,true,2024-01-02T03:04:05.000Z,",
  ],
  "Substack's former form": [
    "email,expiry,email_disabled,stripe_connected_customer_id,type",
    "kept@example.test,,false,,gift",
    "left@example.test,,true,,paid",
  ],
  "Mailchimp's subscribed contacts": [
    "Email Address,First Name,MEMBER_RATING,OPTIN_TIME,OPTIN_IP,CONFIRM_TIME,CONFIRM_IP,REGION,LAST_CHANGED,LEID,EUID,NOTES,TAGS",
    "kept@example.test,,2,2024-01-02 03:04:05,,2024-01-02 03:05:00,,,,,,,",
  ],
  "Mailchimp's unsubscribed contacts": [
    "Email Address,OPTIN_TIME,CONFIRM_TIME,UNSUB_TIME,UNSUB_CAMPAIGN_TITLE,UNSUB_CAMPAIGN_ID,UNSUB_REASON,UNSUB_REASON_OTHER,TAGS",
    "left@example.test,2024-01-02 03:04:05,,2025-01-02 03:04:05,,,,,",
  ],
  "Mailchimp's cleaned contacts": [
    "Email Address,OPTIN_TIME,CONFIRM_TIME,CLEAN_TIME,CLEAN_CAMPAIGN_TITLE,CLEAN_CAMPAIGN_ID",
    "bounced@example.test,2024-01-02 03:04:05,,2025-01-02 03:04:05,,",
  ],
  Kit: [
    "first_name,email_address,state,created_at,tags",
    "A,kept@example.test,active,2024-01-02T03:04:05Z,",
    "A,unconfirmed@example.test,inactive,2024-01-02T03:04:05Z,",
    "A,left@example.test,cancelled,2024-01-02T03:04:05Z,",
    "A,bounced@example.test,bounced,2024-01-02T03:04:05Z,",
    "A,complained@example.test,complained,2024-01-02T03:04:05Z,",
  ],
  beehiiv: [
    "email,First Name,status,tier,created_at,stripe_customer_id,Free Tier,unsubscribed_at",
    "kept@example.test,,active,free,2024-01-02 03:04:05 UTC,,Yes,",
    "left@example.test,,inactive,free,2024-01-02 03:04:05 UTC,,Yes,",
    "left-too@example.test,,active,free,2024-01-02 03:04:05 UTC,,Yes,2025-01-02 03:04:05 UTC",
    "unconfirmed@example.test,,pending,free,2024-01-02 03:04:05 UTC,,Yes,",
    "unconfirmed-too@example.test,,Needs Approval,free,2024-01-02 03:04:05 UTC,,Yes,",
  ],
  Buttondown: [
    "email_address,type,notes,tags,creation_date,source,unsubscription_date,undeliverability_reason",
    "kept@example.test,regular,,,2024-01-02T03:04:05Z,,,",
    "kept-too@example.test,past_due,,,2024-01-02T03:04:05Z,,,",
    "unconfirmed@example.test,unactivated,,,2024-01-02T03:04:05Z,,,",
    "left@example.test,unsubscribed,,,2024-01-02T03:04:05Z,,2025-01-02T03:04:05Z,",
    "left-too@example.test,removed,,,2024-01-02T03:04:05Z,,,",
    "bounced@example.test,regular,,,2024-01-02T03:04:05Z,,,no mailbox",
    "complained@example.test,complained,,,2024-01-02T03:04:05Z,,,",
  ],
  MailerLite: [
    "Email,Status,Opted in at",
    "kept@example.test,Active,2024-01-02 03:04:05",
    "unconfirmed@example.test,Unconfirmed,",
    "left@example.test,Unsubscribed,2024-01-02 03:04:05",
    "bounced@example.test,Bounced,2024-01-02 03:04:05",
    "complained@example.test,Junk,2024-01-02 03:04:05",
  ],
  Brevo: [
    "EMAIL;LASTNAME;DOUBLE_OPT-IN;EMAIL_BLACKLISTED;SMS_BLACKLISTED",
    "kept@example.test;;Yes;No;Yes",
    "unconfirmed@example.test;;No;No;No",
    "left@example.test;;Yes;Yes;No",
  ],
  Mailjet: [
    "Email,IsExcludedFromCampaigns,IsOptInPending,IsSpamComplaining,IsUnsubscribed",
    "kept@example.test,false,false,false,false",
    "left@example.test,true,false,false,false",
    "left-too@example.test,false,false,false,true",
    "unconfirmed@example.test,false,true,false,false",
    "complained@example.test,true,false,true,true",
  ],
  FluentCRM: [
    "email,status,created_at",
    "kept@example.test,subscribed,2024-01-02 03:04:05",
    "unconfirmed@example.test,pending,2024-01-02 03:04:05",
    "unconfirmed-too@example.test,transactional,2024-01-02 03:04:05",
    "left@example.test,unsubscribed,2024-01-02 03:04:05",
    "bounced@example.test,bounced,2024-01-02 03:04:05",
    "complained@example.test,complained,2024-01-02 03:04:05",
  ],
};

const REASONS = { left: "unsubscribed", bounced: "listed", complained: "complaint" } as const;

describe("an export of", () => {
  it.each(Object.entries(EXPORTS))(
    "%s adds exactly those who want mail",
    async (_program, lines) => {
      const names = lines.slice(1).map((line) => /([\w-]+)@/.exec(line)?.[1] ?? "");
      const kept = names.filter((name) => name.startsWith("kept")).toSorted();
      expect(await importFile(...lines)).toMatchObject({ added: kept.length, refused: 0 });
      expect(await recipients()).toEqual(kept);
      for (const name of names) {
        const standing = name.replace("-too", "") as keyof typeof REASONS;
        expect(await reasonOf(name), name).toBe(REASONS[standing] ?? null);
      }

      // a plain list of the same people, as from a spreadsheet, brings none of them back
      const plain = names.filter((name) => !name.startsWith("unconfirmed"));
      const again = await importFile("email", ...plain.map((name) => `${name}@example.test`));
      expect(again).toMatchObject({ added: 0, suppressed: plain.length - kept.length });
      expect(await recipients()).toEqual(kept);
    },
  );

  it.each([
    ["Kit", "email,state", "cold", "active"],
    ["listmonk", "email,status", "enabled", "active"],
    ["Mailchimp", "email,UNSUB_TIME", "", "2025-01-02 03:04:05"],
    ["Buttondown", "email,type", "toString", "regular"],
    ["an address book", "email,State", "Ohio", "active"],
  ])(
    "%s with an unknown status is refused as a whole, by its line",
    async (_of, names, value, known) => {
      const rows = Array.from({ length: 1500 }, (_, n) => `reader-${n}@example.test,${known}`);
      const file = fileOf(names, ...rows, `a@example.test,${value}`);
      expect((await command(file)).stderr).toMatch(
        `${file}:1502: '${names.slice(6)}' is '${value}', which is not understood; wanted `,
      );
      expect(await recipients()).toEqual([]);
      expect(await reasonOf("reader-0")).toBeNull();
    },
  );

  it.each([
    "email,unsub_reason",
    "email,clean_campaign_title",
    "email,active_subscription",
    "email,unsubscribed_at",
    "email,HardBounce",
    "email,excluded",
  ])("an unknown program, with the columns %s, is refused", async (names) => {
    expect((await command(fileOf(names, "a@example.test,"))).stderr).toMatch(
      /has a column that looks like a status, and isn't recognized: '/,
    );
  });
});

describe("an import", () => {
  it("keeps out who has left in one of an address's rows, whatever the others say", async () => {
    const rows = Array.from({ length: 1200 }, (_, n) => `kept-${n}@example.test,active`);
    const both = ["active", "unsubscribed", "pending"].map((it) => `both@example.test,${it}`);
    for (const [first, ...last] of [both, both.toReversed()]) {
      await database.db.execute(sql`truncate subscribers, suppressed_addresses`);
      await importFile("email,status", first ?? "", ...rows, ...last);
      expect(await recipients()).toHaveLength(1200);
      expect(await reasonOf("both")).toBe("unsubscribed");
    }
  });

  it("takes those off the list who left at the other program, but nobody who subscribed here", async () => {
    await importFile("email", "imported@example.test");
    await database.db.execute(sql`
      insert into subscribers (email, confirmed_at) values ('own@example.test', now())`);
    const lines = ["email,state", "imported@example.test,cancelled", "own@example.test,complained"];
    expect(await importFile(...lines)).toMatchObject({ stayed: 1 });
    expect(await recipients()).toEqual(["own"]);
    expect(await reasonOf("own")).toBeNull();
  });

  it("stores the date of consent where the file has one, and its own time elsewhere", async () => {
    await importFile(
      "email,OPTIN_TIME,CONFIRM_TIME",
      "a@example.test,2020-01-01 00:00:00,2020-01-02 03:04:05",
      "b@example.test,2020-01-01,",
      "c@example.test,01/02/2020,",
      "d@example.test,2999-01-01,2020-13-45",
      "e@example.test,2020-01-01T02:00:00+0200,yesterday",
    );
    const rows = await database.db.execute<{ name: string; at: string }>(sql`
      select left(email, 1) as name, case when confirmed_at = consent_recorded_at then 'now'
        else to_char(confirmed_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') end as at
      from subscribers order by 1`);
    expect(rows.map(({ name, at }) => `${name} ${at}`)).toEqual([
      "a 2020-01-02 03:04",
      "b 2020-01-01 00:00",
      "c now",
      "d now",
      "e 2020-01-01 00:00",
    ]);
  });

  it("says with --dry-run what it would do, and does nothing", async () => {
    await database.db.execute(sql`
      insert into subscribers (email, confirmed_at) values ('own@example.test', now()), ('asked@example.test', null)`);
    await command(fileOf("email", "known@example.test"));
    await importFile("email,status", "gone@example.test,unsubscribed");
    const file = fileOf(
      "email,status",
      ...["new", "new", "known", "asked", "gone"].map((name) => `${name}@example.test,active`),
      ...["own", "left", "twice", "twice"].map((name) => `${name}@example.test,unsubscribed`),
      "bounced@example.test,bounced",
      "twice@example.test,active",
      ...Array.from({ length: 1000 }, () => "new@example.test,active"),
      "nobody,active",
    );
    const before = await recipients();
    const dry = await command(file, "--dry-run");
    expect(dry.stderr).toBe("A dry run: nothing was written. An import would have this result:\n");
    expect(await recipients()).toEqual(before);
    expect(await reasonOf("left")).toBeNull();
    const real = await command(file);
    expect(dry.stdout).toBe(real.stdout);
    expect(real.stdout.split("\n").slice(0, 9)).toEqual([
      "1 added",
      "1 already on the list, and now confirmed",
      "1 already on the list",
      "1,001 repeated in the file",
      "3 unsubscribed according to the file, and not added",
      "1 bounced according to the file, and not added",
      "1 of these subscribed on this site, and stay",
      "1 suppressed, and not added",
      "1 refused",
    ]);
    expect(await recipients()).toEqual(["asked", "known", "new", "own"]);
  });

  it("does not bring back who unsubscribes while it runs", async () => {
    await importFile("email", "a@example.test", "b@example.test");
    const importing = await database.db.transaction(async (tx) => {
      await unsubscribeByEmail("a@example.test", tx);
      const started = importFile("email", "a@example.test", "b@example.test");
      // it has read the suppressions, and waits for the row
      await expect
        .poll(() =>
          database.db.execute(sql`
            select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`),
        )
        .toHaveLength(1);
      return { started };
    });
    expect(await importing.started).toMatchObject({ added: 0, known: 1, suppressed: 1 });
    expect(await recipients()).toEqual(["b"]);
    expect(await database.db.execute(sql`select from subscribers`)).toHaveLength(1);
  });
});
