import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { readBackupFile } from "~/features/backup/backup-file.server";
import { upgradeBackupName } from "~/features/backup/backup-name";
import { backUpIfDue } from "~/features/backup/due-backup.server";
import { requireEqual } from "~/features/backup/upgrade-cluster.server";
import { verifyBackup } from "~/features/backup/verify-backup.server";
import { openDatabase } from "~/server/open-database.server";
import { type Database, openDatabase as open, setDatabase } from "~db/client";
import { knownMigrations } from "~db/known-migrations";
import { migrateDatabase } from "~db/migrate";
import { bytesOf, restoreInto } from "../../support/backups";
import { runCommand } from "../../support/command";
import { everythingIn, watchLog } from "../../support/log";
import { makeOlderDatabase } from "../../support/older-database";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { temporaryDirectory } from "../../support/program";
import { SESSION_SECRET } from "../../support/session-secret";
import { mountSmallDisk } from "../../support/small-disk";

const ALL = knownMigrations().length;

let testDatabase: TestDatabase;
let home: ReturnType<typeof temporaryDirectory>;
let folder: string;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  testDatabase = await createTestDatabase({ empty: true });
  home = temporaryDirectory();
  folder = join(home.path, "backups");
  cleanUps.push(home.remove, testDatabase.drop);
  configure();
});
afterEach(async () => {
  vi.restoreAllMocks();
  setDatabase(null);
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function configure(variables: Record<string, string> = {}): void {
  setEnvironment({
    DATABASE_URL: testDatabase.url,
    DATA_DIR: home.path,
    SESSION_SECRET,
    BACKUP_DIR: folder,
    LOG_LEVEL: "silent",
    ...variables,
  });
}

function connect(url = testDatabase.url): Database {
  const database = open(url);
  cleanUps.push(() => database.close());
  return database;
}

/** Starts as `serve` or a command does, and stops again. */
async function start(): Promise<void> {
  await (await openDatabase("command")).close();
}

const startFails = () =>
  start().then(
    () => "It has started.",
    (error: Error) => error.message,
  );

const files = () => readdirSync(folder).sort();

async function countApplied(): Promise<number> {
  const rows = await connect().db.execute(sql`select from drizzle.__drizzle_migrations`);
  return rows.length;
}

/** Leaves a database as a newer release would. */
async function upgradeByNewerRelease(note?: object): Promise<void> {
  await start();
  const { db } = connect();
  const newest = 1_900_000_000_000;
  await db.execute(sql`alter table users add column of_the_future text`);
  await db.execute(
    sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('future', ${newest})`,
  );
  if (note) {
    const text = JSON.stringify({ newest, ...note });
    await db.execute(sql.raw(`comment on table drizzle.__drizzle_migrations is '${text}'`));
  }
}

describe("a start on the database of an older release", () => {
  beforeEach(() => makeOlderDatabase(testDatabase.url));

  it("backs it up first, and then upgrades it", async () => {
    await start();
    expect(files()).toEqual([
      expect.stringMatching(/^golden-path-\d{8}T\d{6}Z-before-upgrade-from-schema-1\.tar\.gz$/),
    ]);
    const { manifest, end } = await verifyBackup(readBackupFile(join(folder, files()[0] ?? "")));
    expect(manifest.migrations).toHaveLength(1);
    expect(end.rows["public.users"]).toBe(1);
    expect(await countApplied()).toBe(ALL);

    // the backup restores the older release
    const other = await createTestDatabase({ empty: true });
    cleanUps.push(() => other.drop());
    setDatabase(connect());
    const restored = connect(other.url);
    await restoreInto(restored, await bytesOf(readBackupFile(join(folder, files()[0] ?? ""))));
    expect(await restored.db.execute(sql`select email from users`)).toEqual([
      { email: "kept@example.test" },
    ]);
    expect(await restored.db.execute(sql`select from drizzle.__drizzle_migrations`)).toHaveLength(
      1,
    );
  });

  it("makes one backup when several instances start at the same time", async () => {
    await Promise.all(Array.from({ length: 4 }, start));
    expect(files()).toHaveLength(1);
    expect(await countApplied()).toBe(ALL);
  });

  it("changes nothing if the backup fails, and says how to proceed without one", async () => {
    writeFileSync(folder, "in the way");
    expect(await startFails()).toMatch(
      /^The database was not upgraded, because it could not be backed up before: \S+backups is not a folder: .* Start with BACKUP_BEFORE_UPGRADE=false to upgrade without one[^\n]+$/,
    );
    expect(await countApplied()).toBe(1);

    configure({ BACKUP_BEFORE_UPGRADE: "false" });
    await start();
    expect(await countApplied()).toBe(ALL);
  });

  it("changes nothing if the disk is too full for the backup, and leaves no part of it", async (context) => {
    const disk = mountSmallDisk(1);
    if (!disk) return context.skip("a disk to fill takes root");
    cleanUps.push(disk.remove);
    disk.fill();
    configure({ BACKUP_DIR: join(disk.path) });
    expect(await startFails()).toMatch(
      /^The database was not upgraded, [^\n]+ is full: free up space, or choose another place\./,
    );
    expect(await countApplied()).toBe(1);
    expect(readdirSync(disk.path)).toEqual(["ballast"]);
  });

  it("warns if an external database has no place for a backup", async () => {
    configure({ BACKUP_DIR: "", LOG_LEVEL: "info" });
    const lines = watchLog();
    await start();
    expect(everythingIn(lines)).toContain(
      "upgraded without a backup, because it is not embedded, and neither BACKUP_DIR nor",
    );
    expect(await countApplied()).toBe(ALL);
    expect(readdirSync(home.path)).not.toContain("backups");
  });

  it("keeps the newest backup of each of the last three upgrades, which the schedule never deletes", async () => {
    mkdirSync(folder);
    const lay = (day: string, from: `schema-${number}`) => {
      const name = upgradeBackupName(new Date(`${day}T10:00:00Z`), from);
      writeFileSync(join(folder, name), "");
      return name;
    };
    lay("2020-01-01", "schema-7");
    lay("2020-02-01", "schema-8");
    const eight = lay("2020-02-02", "schema-8");
    const nine = lay("2020-03-01", "schema-9");
    // as left by a start that was killed repeatedly
    lay("2020-04-01", "schema-1");
    lay("2020-04-02", "schema-1");
    await start();
    expect(files()).toEqual([
      eight,
      nine,
      expect.stringMatching(/^golden-path-20[2-9].*schema-1\.tar\.gz$/),
    ]);

    configure({ BACKUP_EVERY: "1d" });
    const database = await openDatabase("command");
    cleanUps.push(() => database.close());
    await backUpIfDue(86_400_000);
    expect(files()).toHaveLength(4);
    expect(files()).toEqual(expect.arrayContaining([eight, nine]));

    const { stdout } = await runCommand("backup", "list");
    expect(stdout).toContain(`${eight}\t0.0 MB`);
    expect(stdout.trim().split("\n")).toHaveLength(4);
  });

  it("waits for a table in use without blocking later queries, and continues without help", async () => {
    const { db } = connect();
    const waits: string[] = [];
    let leave = () => {};
    const reading = db.transaction(async (transaction) => {
      await transaction.execute(sql`select * from users`);
      await new Promise<void>((resolve) => {
        leave = resolve;
      });
    });
    const migrated = migrateDatabase(connect(), {
      onWait: (sentence) => waits.push(sentence),
      tableWait: { lock: 100, pause: 200, all: 60_000 },
    });
    await expect.poll(() => waits.length).toBeGreaterThan(1);
    // a visitor, whom the waiting upgrade delays by a tenth of a second at most
    await connect().db.execute(sql`select * from users`);
    leave();
    await reading;
    expect(await migrated).toBe(ALL - 1);
  });

  it("says that the user has to own the tables if another user does", async () => {
    await connect(testDatabase.superuserUrl).db.execute(
      sql`alter table users owner to golden_path`,
    );
    await expect(migrateDatabase(connect())).rejects.toThrow(
      /^The database user may not create or change [^\n]+: make it the owner of them [^\n]+$/,
    );
    expect(await countApplied()).toBe(1);
  });

  it("gives up on a table in constant use, with nothing changed", async () => {
    const { db } = connect();
    await db.transaction(async (transaction) => {
      await transaction.execute(sql`select * from users`);
      const tableWait = { lock: 50, pause: 50, all: 200 };
      await expect(migrateDatabase(connect(), { tableWait })).rejects.toThrow(
        /^The database was not upgraded, because a table that changes was in use all the time/,
      );
    });
    expect(await countApplied()).toBe(1);
  });

  it("leaves no lock if its program is killed during the backup", async () => {
    const { db } = connect();
    let backups = 0;
    const never = migrateDatabase(connect(), {
      backUp: () => {
        backups++;
        return new Promise(() => {});
      },
    }).catch(() => {});
    await expect.poll(() => backups).toBe(1);
    // what the server does after the program's process has ended
    await db.execute(sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`);
    await start();
    expect(await countApplied()).toBe(ALL);
    void never;
  });
});

describe("a start on the database of a newer release", () => {
  it("is refused in one sentence with the ways out, and changes nothing", async () => {
    await upgradeByNewerRelease();
    expect(await startFails()).toMatch(
      /^The database was upgraded by a newer release, and this program, release \d+\.\d+\.\d+, does not know what has changed \(1 of \d+ migrations\)\. Start the newer release again, or go back to before its upgrade: restore the backup that was made before it into a new DATA_DIR or database \(docs\/operating\.md\)\. Nothing was changed\.$/,
    );
    expect(await countApplied()).toBe(ALL + 1);
  });

  it("names the newer release and the backup made before its upgrade", async () => {
    const backup = "golden-path-20261123T040506Z-before-upgrade-from-schema-9.tar.gz";
    await upgradeByNewerRelease({ release: "7.1.0", backup });
    const sentence = await startFails();
    expect(sentence).toContain("was upgraded by release 7.1.0, and");
    expect(sentence).toContain(`restore ${backup} into`);
  });

  it("leaves a note for older programs about the backup of this upgrade", async () => {
    await makeOlderDatabase(testDatabase.url);
    await start();
    const [row] = await connect().db.execute<{ note: string }>(
      sql`select obj_description('drizzle.__drizzle_migrations'::regclass, 'pg_class') as note`,
    );
    expect(JSON.parse(row?.note ?? "")).toEqual({
      release: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      newest: knownMigrations().at(-1)?.folderMillis,
      backup: files()[0],
    });
  });
});

describe("the comparison of databases during a move to another PostgreSQL", () => {
  it("finds a row that an older release writes to the old one meanwhile", async () => {
    const [old, fresh] = [await createTestDatabase(), await createTestDatabase()];
    cleanUps.push(old.drop, fresh.drop);
    const [before, after] = [connect(old.url), connect(fresh.url)];
    await requireEqual(before, after);

    const whileCompared = Object.create(after, {
      connect: {
        value: async () => {
          await before.db.execute(
            sql`insert into users (email, password_hash) values ('late@example.test', 'hash')`,
          );
          return after.connect();
        },
      },
    });
    await expect(requireEqual(before, whileCompared)).rejects.toThrow(
      /^The new database is not the same as the old one \(public\.users\)/,
    );
  });
});
