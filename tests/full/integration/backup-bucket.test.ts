import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { backupName } from "~/features/backup/backup-name";
import type { BackupStore } from "~/features/backup/backup-store";
import { bucketStore } from "~/features/backup/bucket-store.server";
import { backUpIfDue } from "~/features/backup/due-backup.server";
import { verifyBackup } from "~/features/backup/verify-backup.server";
import { registry } from "~/observability/metrics.server";
import { getDatabase, openDatabase } from "~db/client";
import { bytesOf, digestOf, fillEveryTable, inPieces, restoreInto } from "../../support/backups";
import { BUCKET_KEY, startBucket } from "../../support/bucket-server.mjs";
import { runCommand } from "../../support/command";
import { eventually } from "../../support/eventually";
import { everythingIn, watchLog } from "../../support/log";
import { createTestDatabase } from "../../support/postgres";
import { temporaryDirectory } from "../../support/program";
import { openTestSite, type TestSite } from "../../support/site";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = new Date("2026-11-23T12:00:00Z");
const ago = (milliseconds: number) => new Date(NOW.getTime() - milliseconds);
const SECRET = "a-secret-that-must-never-be-logged";
const IMPATIENT = { timeouts: { answer: 2_000, part: 2_000, piece: 500 }, retries: [10, 10] };

let site: TestSite;
let home: ReturnType<typeof temporaryDirectory>;
let server: Awaited<ReturnType<typeof startBucket>>;
let store: BackupStore;

beforeAll(async () => {
  site = await openTestSite();
  await fillEveryTable(getDatabase());
});
afterAll(() => site.close());
beforeEach(async () => {
  home = temporaryDirectory();
  server = await startBucket(join(home.path, "storage"));
  store = bucketStore({ url: server.url, region: "us-east-1", ...BUCKET_KEY }, IMPATIENT);
  setEnvironment(settings());
});
afterEach(async () => {
  vi.restoreAllMocks();
  site.restoreEnvironment();
  await server.close();
  home.remove();
});

const settings = (variables: Record<string, string> = {}) => ({
  DATA_DIR: home.path,
  SESSION_SECRET: "a secret that signs the cookies of tests only",
  BACKUP_EVERY: "1d",
  BACKUP_S3_URL: server.url,
  BACKUP_S3_ACCESS_KEY_ID: BUCKET_KEY.accessKeyId,
  BACKUP_S3_SECRET_ACCESS_KEY: BUCKET_KEY.secretAccessKey,
  ...variables,
});
const names = async () => (await store.list()).map(({ name }) => name);

describe("a bucket", () => {
  it("stores a backup in parts and returns it, byte for byte", async () => {
    const content = randomBytes(20_000_000);
    expect(await store.save(backupName(NOW), inPieces(content))).toBe(content.length);
    expect(server.uploads()).toBeGreaterThanOrEqual(3);
    expect(await store.list()).toEqual([
      { name: backupName(NOW), time: NOW, bytes: content.length },
    ]);
    expect((await bytesOf(store.read(backupName(NOW)))).equals(content)).toBe(true);
    await store.remove(backupName(NOW));
    expect(await names()).toEqual([]);
  });

  it("never replaces a backup", async () => {
    await store.save(backupName(NOW), inPieces(Buffer.from("first")));
    await expect(store.save(backupName(NOW), inPieces(Buffer.from("second")))).rejects.toThrow(
      /already/,
    );
    expect(String(await bytesOf(store.read(backupName(NOW))))).toBe("first");
  });

  it("shows no trace of a backup that failed", async () => {
    async function* failing() {
      yield randomBytes(9_000_000);
      throw new Error("the database has gone");
    }
    await expect(store.save(backupName(NOW), failing())).rejects.toThrow("the database has gone");
    expect(await names()).toEqual([]);
  });

  it("keeps no backup whose upload ended without a response", async () => {
    server.loseEnds(true);
    const upload = store.save(backupName(NOW), inPieces(Buffer.from("x")));
    await expect(upload).rejects.toThrow(/cannot be reached, or broke off/);
    expect(await names()).toEqual([]);
  });

  it("that stops responding is abandoned at once on a stop", async () => {
    const timeouts = { answer: 500, part: 300_000, piece: 500 };
    const patient = bucketStore(
      { url: server.url, region: "us-east-1", ...BUCKET_KEY },
      { timeouts },
    );
    const stopping = new AbortController();
    async function* content() {
      yield randomBytes(9_000_000);
      server.hang(true);
      yield randomBytes(9_000_000);
    }
    const upload = patient.save(backupName(NOW), content(), { stopping: stopping.signal });
    const failed = expect(upload).rejects.toThrow();
    const before = server.uploads();
    await eventually(() => expect(server.uploads()).toBeGreaterThan(before + 1));
    stopping.abort();
    await failed;
  });

  it("retries a part whose connection was cut", async () => {
    const content = randomBytes(9_000_000);
    await store.list();
    server.cutAfter(3_000_000, 1);
    await store.save(backupName(NOW), inPieces(content));
    expect((await bytesOf(store.read(backupName(NOW)))).equals(content)).toBe(true);
  });

  it("that breaks off a download does not pass for a shorter backup", async () => {
    await store.save(backupName(NOW), inPieces(randomBytes(9_000_000)));
    server.cutAfter(3_000_000);
    await expect(bytesOf(store.read(backupName(NOW)))).rejects.toThrow(/broke off/);
  });

  it.each([
    [
      "a wrong secret",
      { secretAccessKey: SECRET },
      /refuses the key \(403 SignatureDoesNotMatch\)/,
    ],
    ["an unknown key", { accessKeyId: "nobody" }, /refuses the key \(403 InvalidAccessKeyId\)/],
  ])("that refuses %s causes an error without the secret", async (_, key, words) => {
    const wrong = bucketStore(
      { url: server.url, region: "us-east-1", ...BUCKET_KEY, ...key },
      IMPATIENT,
    );
    const upload = wrong.save(backupName(NOW), inPieces(Buffer.from("x")));
    await expect(upload).rejects.toThrow(words);
    await expect(wrong.list()).rejects.toThrow(words);
    await expect(bytesOf(wrong.read(backupName(NOW)))).rejects.toThrow(/refuses the key/);
  });
});

describe("the backup timer", () => {
  it("uploads a backup while making it, without a local file, and keeps the schedule there", async () => {
    for (let days = 1; days <= 9; days++) {
      await store.save(backupName(ago(days * DAY)), inPieces(Buffer.from("laid by a test")));
    }
    watchLog();
    await backUpIfDue(DAY, NOW);
    expect(await names()).toContain(backupName(NOW));
    expect(await names()).not.toContain(backupName(ago(7 * DAY)));
    expect(readdirSync(home.path)).toEqual(["storage"]);
    const { end } = await verifyBackup(store.read(backupName(NOW)));
    expect(end.rows["public.users"]).toBe(7);
  });

  it("makes a backup in the folder even if the bucket refuses the key, and reports that", async () => {
    const folder = join(home.path, "backups");
    setEnvironment(settings({ BACKUP_DIR: folder, BACKUP_S3_SECRET_ACCESS_KEY: SECRET }));
    const lines = watchLog();
    await backUpIfDue(DAY, NOW);
    expect(readdirSync(folder)).toEqual([backupName(NOW)]);
    expect(everythingIn(lines)).toContain("refuses the key");
    const later = new Date(NOW.getTime() + DAY);
    await backUpIfDue(DAY, later);
    expect(readdirSync(folder)).toEqual([backupName(NOW), backupName(later)]);
  });

  it("shows in the metrics the store that is behind", async () => {
    const folder = join(home.path, "backups");
    const toldTime = async () =>
      /^backup_last_success_timestamp_seconds (\S+)$/m.exec(await registry.metrics())?.[1];
    await store.save(backupName(NOW), inPieces(Buffer.from("laid by a test")));
    watchLog();
    mkdirSync(folder);
    setEnvironment(settings({ BACKUP_DIR: folder }));
    vi.spyOn(getDatabase(), "connect").mockRejectedValue(new Error("no database"));
    await backUpIfDue(DAY, NOW);
    expect(await toldTime()).toBe("0");
    vi.restoreAllMocks();
    writeFileSync(join(folder, backupName(ago(HOUR))), "laid by a test");
    await backUpIfDue(DAY, NOW);
    expect(await toldTime()).toBe(String(ago(HOUR).getTime() / 1000));
  });

  it("copies the folder's backup to the bucket, later if the bucket was unavailable", async () => {
    const folder = join(home.path, "backups");
    setEnvironment(settings({ BACKUP_DIR: folder, BACKUP_S3_SECRET_ACCESS_KEY: SECRET }));
    const lines = watchLog();
    await backUpIfDue(DAY, NOW);
    expect(everythingIn(lines)).toContain("refuses the key");
    expect(everythingIn(lines)).not.toContain(SECRET);
    setEnvironment(settings({ BACKUP_DIR: folder }));
    await backUpIfDue(DAY, NOW);
    await backUpIfDue(DAY, new Date(NOW.getTime() + HOUR));
    expect(readdirSync(folder)).toEqual(await names());
    expect(await names()).toEqual([backupName(NOW)]);
  });
});

it("a backup in the bucket is listed, verified and restored by name", async () => {
  watchLog();
  await backUpIfDue(DAY, NOW);
  const name = backupName(NOW);
  expect((await runCommand("backup", "list")).stdout).toContain(name);
  expect((await runCommand("backup", "verify", `s3:${name}`)).stdout).toContain("is complete");
  expect((await runCommand("backup", "verify", "s3:other")).stderr).toContain(
    "not the name of a backup",
  );
  const test = await createTestDatabase({ empty: true });
  const database = openDatabase(test.url, { applicationName: "test" });
  await restoreInto(database, await bytesOf(store.read(name)));
  expect(await digestOf(database)).toEqual(await digestOf(getDatabase()));
  await database.close();
  await test.drop();
});
