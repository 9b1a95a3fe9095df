import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Database, openDatabase } from "~db/client";
import type { Connection } from "~db/connection";
import { migrateDatabase } from "~db/migrate";
import { openConnection } from "~db/open-connection";
import { findProfile } from "~db/queries/profiles";
import { findUserByEmail } from "~db/queries/users";
import { eventually } from "../../support/eventually";
import { makeOlderDatabase } from "../../support/older-database";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";

const FIXTURE = resolve(import.meta.dirname, "../../fixtures/release-d1abaa8-statements.json");
const { texts, steps } = JSON.parse(readFileSync(FIXTURE, "utf8")) as {
  texts: string[];
  steps: { session: number; text: number; parameters: (string | null)[] }[];
};

let testDatabase: TestDatabase;
let database: Database;
let older: OlderRelease;

beforeEach(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  await makeOlderDatabase(testDatabase.url);
  database = openDatabase(testDatabase.url);
  older = await OlderRelease.connect(testDatabase.url);
});
afterEach(async () => {
  await older.end();
  await database.close();
  await testDatabase.drop();
});

const emailOf = (visitor: number) => `visitor-${visitor}@example.test`;

/** An instance of release d1abaa8 as the database knows it: its connections, with the statements it has prepared. */
class OlderRelease {
  visitors = 0;

  private constructor(private readonly connections: Connection[]) {}

  static async connect(url: string): Promise<OlderRelease> {
    const open = () => openConnection({ url, applicationName: "golden-path" });
    return new OlderRelease([await open(), await open()]);
  }

  /** Serves one more visitor, with names, tokens and ids at Stripe of their own. */
  async serve(): Promise<void> {
    const visitor = this.visitors + 1;
    const ids = new Map<string, string>();
    const own = (value: string | null): string | boolean | null => {
      if (value === null) return null;
      if (value === "f" || value === "t") return value === "t";
      if (value === "recorded@example.test") return emailOf(visitor);
      if (/^[0-9a-f]{64}$/.test(value)) {
        return createHash("sha256").update(`${value} ${visitor}`).digest("hex");
      }
      if (/^(cus|sub|evt|cs_test)_/.test(value)) return `${value}${visitor}`;
      return ids.get(value) ?? value;
    };
    for (const { session, text, parameters } of steps) {
      const statement = texts[text] ?? "";
      const rows = await this.connections[session]?.query(statement, parameters.map(own), {
        prepare: true,
        asArrays: false,
        timeout: 60_000,
      });
      // the database chooses an account's id, and what follows names it
      if (statement.startsWith('insert into "users"')) {
        ids.set(accountId(), String(rows?.[0]?.id));
      }
    }
    this.visitors = visitor;
  }

  async end(): Promise<void> {
    for (const connection of this.connections) await connection.end();
  }
}

/** The id of the recorded account: what its first profile was made for. */
function accountId(): string {
  const step = steps.find(({ text }) => texts[text]?.startsWith('insert into "profiles"'));
  return String(step?.parameters[0]);
}

describe("release d1abaa8, which goes on serving", () => {
  it("signs up, subscribes, sells, takes webhooks and logs in before, while and after this one migrates", async () => {
    let isStopping = false;
    const serving = (async () => {
      while (!isStopping) await older.serve();
    })();
    serving.catch(() => {});
    await eventually(async () => expect(older.visitors).toBeGreaterThan(1));
    const beforeMigrating = older.visitors;
    const applied = await migrateDatabase(openDatabaseOfTest(), {
      tableWait: { lock: 500, pause: 50, all: 20_000 },
    });
    expect(applied).toBeGreaterThan(7);
    const afterMigrating = older.visitors;
    await eventually(async () => expect(older.visitors).toBeGreaterThan(afterMigrating + 2));
    isStopping = true;
    await serving;

    // nothing of what it has answered for is missing, and this release reads it
    expect(beforeMigrating).toBeGreaterThan(0);
    const [counts] = await database.db.execute(
      sql`select (select count(*)::int from users where email like 'visitor-%') as users,
        (select count(*)::int from subscribers) as subscribers,
        (select count(*)::int from profiles where stripe_subscription_status = 'active') as members,
        (select count(*)::int from webhook_events) as events,
        (select count(*)::int from sessions) as sessions`,
    );
    const visitors = older.visitors;
    expect(counts).toEqual({
      users: visitors,
      subscribers: visitors,
      members: visitors,
      events: 4 * visitors,
      sessions: visitors,
    });
    const last = await findUserByEmail(emailOf(visitors), database.db);
    expect(last?.email).toBe(emailOf(visitors));
    const profile = await findProfile(last?.id ?? "", database.db);
    expect(profile?.stripePriceId).toBe("price_goldenPathPremiumMonthly");
  });

  it("would be noticed if a migration broke it", async () => {
    await migrateDatabase(openDatabaseOfTest());
    await older.serve();
    await database.db.execute(sql`alter table users add column name text not null default ''`);
    await older.serve();
    await database.db.execute(sql`alter table users alter column name drop default`);
    await expect(older.serve()).rejects.toThrow(/null value in column "name"/);
  });
});

const opened: Database[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});
function openDatabaseOfTest(): Database {
  const one = openDatabase(testDatabase.url);
  opened.push(one);
  return one;
}
