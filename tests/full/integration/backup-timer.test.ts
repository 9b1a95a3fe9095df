import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { backupName } from "~/features/backup/backup-name";
import { folderStore } from "~/features/backup/backup-stores.server";
import { startBackups } from "~/features/backup/backup-timer.server";
import { backUpIfDue } from "~/features/backup/due-backup.server";
import { verifyBackup } from "~/features/backup/verify-backup.server";
import { registry } from "~/observability/metrics.server";
import { getDatabase } from "~db/client";
import { withInstanceLock } from "~db/queries/instance-lock";
import { eventually } from "../../support/eventually";
import { everythingIn, watchLog } from "../../support/log";
import { temporaryDirectory } from "../../support/program";
import { openTestSite, type TestSite } from "../../support/site";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = new Date("2026-11-23T12:00:00Z");
const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds);

let site: TestSite;
let home: ReturnType<typeof temporaryDirectory>;
let folder: string;

beforeAll(async () => {
  site = await openTestSite();
});
afterAll(() => site.close());
beforeEach(() => {
  home = temporaryDirectory();
  folder = join(home.path, "backups");
  setEnvironment({
    DATA_DIR: home.path,
    SESSION_SECRET: "a secret that signs the cookies of tests only",
    BACKUP_DIR: folder,
    BACKUP_EVERY: "1d",
    LOG_LEVEL: "info",
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  site.restoreEnvironment();
  home.remove();
});

const names = () => readdirSync(folder).sort();
const metric = async (name: string) =>
  Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await registry.metrics())?.[1]);

function lay(...files: string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const file of files) writeFileSync(join(folder, file), "laid by a test");
}

/** Adds enough rows for a backup to take a while. */
async function makeLarge(): Promise<void> {
  await getDatabase().db.execute(
    sql`insert into subscribers (email) select 'reader-' || n || '@example.test' from generate_series(1, 200000) n
      on conflict do nothing`,
  );
}

describe("the backup timer", () => {
  it("makes a complete backup if there is none, and returns when the next is due", async () => {
    const next = await backUpIfDue(DAY, NOW);
    expect(names()).toEqual([backupName(NOW)]);
    expect(next).toEqual(new Date(NOW.getTime() + DAY));
    const bytes = readFileSync(join(folder, backupName(NOW)));
    expect(
      (await verifyBackup([bytes] as unknown as AsyncIterable<Buffer>)).manifest.createdAt,
    ).toBe(NOW.toISOString());
    expect(await metric("backup_last_success_timestamp_seconds")).toBe(NOW.getTime() / 1000);
    expect(await metric("backup_last_size_bytes")).toBe(bytes.length);
  });

  it("goes by the newest backup in the folder, not by this process's memory", async () => {
    lay(backupName(ago(23 * HOUR)));
    expect(await backUpIfDue(DAY, NOW)).toEqual(new Date(NOW.getTime() + HOUR));
    expect(names()).toHaveLength(1);
    await backUpIfDue(DAY, new Date(NOW.getTime() + HOUR));
    expect(names()).toHaveLength(2);
  });

  it("deletes old backups by the schedule, and no other files", async () => {
    const old = Array.from({ length: 30 }, (_, days) => backupName(ago((days + 1) * DAY)));
    lay(...old, "notes.txt", "golden-path-mine.tar.gz");
    await backUpIfDue(DAY, NOW);
    expect(names()).toEqual(expect.arrayContaining(["notes.txt", "golden-path-mine.tar.gz"]));
    expect(names()).toContain(backupName(ago(6 * DAY)));
    expect(names()).not.toContain(backupName(ago(7 * DAY)));
    expect(names().length).toBeLessThan(15);
  });

  it("removes files left by killed programs, but none being written", async () => {
    lay(".golden-path-a.tar.gz.17.part", ".golden-path-b.tar.gz.18.part");
    const yesterday = new Date(Date.now() - DAY);
    utimesSync(join(folder, ".golden-path-a.tar.gz.17.part"), yesterday, yesterday);
    await backUpIfDue(DAY, NOW);
    expect(names().filter((name) => name.endsWith(".part"))).toEqual([
      ".golden-path-b.tar.gz.18.part",
    ]);
  });

  it("leaves the backup to the instance that is making one", async () => {
    let next: Date | undefined;
    await withInstanceLock("backup", async () => {
      next = await backUpIfDue(DAY, NOW);
    });
    expect(next?.getTime()).toBeLessThanOrEqual(NOW.getTime() + HOUR);
    expect(() => names()).toThrow();
    const both = await Promise.all([backUpIfDue(DAY, NOW), backUpIfDue(DAY, NOW)]);
    expect(both).toHaveLength(2);
    expect(names()).toHaveLength(1);
  });

  it("deletes nothing and logs one line if a backup fails", async () => {
    const old = Array.from({ length: 30 }, (_, days) => backupName(ago((days + 2) * DAY)));
    lay(...old);
    const failures = await metric("backup_failures_total");
    const lines = watchLog();
    await getDatabase().db.execute(
      sql`update drizzle.__drizzle_migrations set hash = 'newer ' || hash where id = 8`,
    );
    const next = await backUpIfDue(DAY, NOW);
    await getDatabase().db.execute(
      sql`update drizzle.__drizzle_migrations set hash = replace(hash, 'newer ', '') where id = 8`,
    );
    expect(names()).toEqual([...old].sort());
    expect(next.getTime()).toBeGreaterThanOrEqual(NOW.getTime() + HOUR / 4);
    expect(await metric("backup_failures_total")).toBe(failures + 1);
    expect(lines).toHaveLength(1);
    expect(lines[0]?.message).toContain("the backup failed");
    expect(everythingIn(lines)).toContain("newer release");
  });
});

/** Keeps a backup waiting for a table while `work` runs, which starts once one waits. */
async function whileWaiting(start: () => void, work: () => Promise<void>): Promise<void> {
  await getDatabase().db.transaction(async (transaction) => {
    await transaction.execute(sql`lock table notes in access exclusive mode`);
    start();
    await eventually(async () => expect(await waitingBackups()).toBe(1));
    await work();
  });
}

async function waitingBackups(): Promise<number> {
  const waiting = await getDatabase().db.execute(
    sql`select from pg_locks where not granted and relation = 'notes'::regclass`,
  );
  return waiting.length;
}

it("a stop does not wait for a blocked backup", async () => {
  let stop: () => Promise<void> = async () => {};
  await whileWaiting(
    () => {
      stop = startBackups(0, 200);
    },
    async () => {
      await stop();
      expect(await waitingBackups()).toBe(1);
    },
  );
  await eventually(() => expect(names()).toEqual([]));
});

it("a backup is verified before it gets its name, so a kill leaves no unverified one", async () => {
  const store = folderStore(folder);
  const content = async function* () {
    yield Buffer.from("a backup");
  };
  let stored = "";
  const verify = async (bytes: AsyncIterable<Uint8Array>) => {
    for await (const chunk of bytes) stored += String(chunk);
    expect(names()).toEqual([expect.stringMatching(/^\..*\.part$/)]);
  };
  await store.save(backupName(NOW), content(), { verify });
  expect(stored).toBe("a backup");
  expect(names()).toEqual([backupName(NOW)]);

  const refuse = () => Promise.reject(new Error("It cannot be read back."));
  await expect(store.save(backupName(ago(DAY)), content(), { verify: refuse })).rejects.toThrow(
    "It cannot be read back.",
  );
  expect(names()).toEqual([backupName(NOW)]);
});

it("a stop abandons the backup in progress and leaves nothing", async () => {
  await makeLarge();
  const stop = startBackups(0);
  await eventually(() => expect(names()).toHaveLength(1), { interval: 1 });
  await stop();
  expect(names()).toEqual([]);
});
