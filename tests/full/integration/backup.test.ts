import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { sql } from "drizzle-orm";
import { packTar } from "modern-tar";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { setEnvironment } from "~/env.server";
import { countRows } from "~/features/backup/backup-format";
import { restoreBackup } from "~/features/backup/restore-backup.server";
import { verifyBackup } from "~/features/backup/verify-backup.server";
import { backUp } from "~/features/backup/write-backup.server";
import { type Database, getDatabase, openDatabase } from "~db/client";
import { databaseErrorCode } from "~db/database-errors";
import { type Snapshot, withSnapshot } from "~db/dump/snapshot";
import {
  bytesOf,
  digestOf,
  fillEveryTable,
  inPieces,
  restoreInto,
  settingsFor,
  withEmptySite,
} from "../../support/backups";
import { eventually } from "../../support/eventually";
import { temporaryDirectory } from "../../support/program";
import { SESSION_SECRET } from "../../support/session-secret";
import { openTestSite, type TestSite } from "../../support/site";

let site: TestSite;
let dataDir: ReturnType<typeof temporaryDirectory>;
let backup: Buffer;

beforeAll(async () => {
  site = await openTestSite();
  dataDir = temporaryDirectory();
  setEnvironment(settingsFor(dataDir.path));
  writeFiles(dataDir.path, {
    "session-secret": "a secret of this site alone, for its cookies\n",
    "content/chapters/01-dawn.md": "# Dawn\n",
    "content/chapters/ä long name that tar cannot hold in its hundred bytes, so that it needs an extension of the format.md":
      "",
    "outbox/2026.eml": "Subject: hello\r\n\r\nA link",
    "content/golden-path-20261123T040506Z.tar.gz": "a backup that was put here by mistake",
    "library/cache.png": "made again from the edition",
    "postgres.log": "LOG",
  });
  await fillEveryTable(getDatabase());
  backup = await bytesOf(backUp(new Date()));
});
afterAll(async () => {
  await site.close();
  dataDir.remove();
});
afterEach(() => setEnvironment(settingsFor(dataDir.path)));

function writeFiles(folder: string, files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text, { mode: 0o600 });
  }
}

/** Resolves to the code of the database error that a promise is rejected with. */
const databaseErrorOf = (work: Promise<unknown>) => work.then(() => undefined, databaseErrorCode);

const rowsIn = async (snapshot: Snapshot, name: string) => {
  const table = snapshot.tables.find((one) => one.name === name);
  return table ? String(await bytesOf(snapshot.rowsOf(table))) : "";
};

it("a backup is a snapshot of its start, whatever is written meanwhile, and blocks no writes", async () => {
  const { db } = getDatabase();
  await withSnapshot(getDatabase(), async (snapshot) => {
    const rowsOf = (name: string) => rowsIn(snapshot, name);
    const before = await rowsOf("users");
    await db.execute(sql`insert into suppressed_addresses values ('later', 'listed')`);
    await db.execute(sql`update users set password_hash = 'later'`);
    await db.execute(sql`delete from notes`);
    expect(await rowsOf("users")).toBe(before);
    expect(await rowsOf("suppressed_addresses")).toBe("");
    expect(await rowsOf("notes")).not.toBe("");
  });
  // restores the rows for the other tests
  await db.execute(
    sql`truncate users, suppressed_addresses, subscribers, campaigns, editions, site_keys cascade`,
  );
  await db.execute(sql`alter sequence billing_sync_numbers restart`);
  await fillEveryTable(getDatabase());
  backup = await bytesOf(backUp(new Date()));
});

describe("a change that rewrites a table, which older snapshots would then see as empty,", () => {
  const rewrite = sql`alter table notes alter column text type text using text || ''`;
  const notesIn = (snapshot: Snapshot) => rowsIn(snapshot, "notes");

  it("waits for the end of a backup", async () => {
    await withSnapshot(getDatabase(), async (snapshot) => {
      const change = getDatabase().db.transaction(async (transaction) => {
        await transaction.execute(sql`set local lock_timeout = '200ms'`);
        await transaction.execute(rewrite);
      });
      expect(await databaseErrorOf(change)).toBe("55P03");
      expect(countRows(Buffer.from(await notesIn(snapshot)))).toBe(7);
    });
  });

  it("makes a backup wait that begins meanwhile", async () => {
    const { db } = getDatabase();
    let backup: Promise<string> | undefined;
    await db.transaction(async (transaction) => {
      await transaction.execute(rewrite);
      backup = withSnapshot(getDatabase(), notesIn);
      await eventually(async () => {
        const waiting = await db.execute(
          sql`select from pg_locks where not granted and relation = 'notes'::regclass`,
        );
        expect(waiting).toHaveLength(1);
      });
    });
    expect(countRows(Buffer.from((await backup) ?? ""))).toBe(7);
  });
});

it("a transaction time limit does not end a backup", async () => {
  await withEmptySite(
    async ({ database, test }) => {
      const name = new URL(test.url).pathname.slice(1);
      const limit = `alter database ${name} set transaction_timeout = '200ms'`;
      await database.db.execute(sql.raw(limit));
      await withSnapshot(database, async (snapshot) => {
        await getDatabase().db.execute(sql`select pg_sleep(0.5)`);
        expect(await snapshot.sequences()).not.toEqual([]);
      });
    },
    { empty: false },
  );
});

describe("refuses a backup that could not be restored to a working site:", () => {
  it.each([
    ["a line break in a file's name", "Icon\r"],
    ["a backslash in a file's name", "chapters/a\\b.md"],
    ["a file's name that is not UTF-8", Buffer.from("a\xff.md", "latin1")],
  ])("%s", async (_, name) => {
    const below = Buffer.concat([Buffer.from(`${dataDir.path}/content/`), Buffer.from(name)]);
    writeFileSync(below, "x");
    try {
      await expect(bytesOf(backUp(new Date()))).rejects.toThrow(
        /content.* has a name that a backup can't contain: rename it/s,
      );
    } finally {
      rmSync(below);
    }
  });

  it("without the site's secret", async () => {
    const folder = temporaryDirectory();
    setEnvironment(settingsFor(folder.path));
    await expect(bytesOf(backUp(new Date()))).rejects.toThrow(
      /session-secret is missing: set DATA_DIR .* or SESSION_SECRET/,
    );
    setEnvironment({ ...settingsFor(folder.path), SESSION_SECRET });
    expect((await verifyBackup(backUp(new Date()))).manifest.sessionSecret).toBe("environment");
    folder.remove();
  });
});

it("a backup reports a missing edition", async () => {
  const warnings: string[] = [];
  const onLeftOut = (what: string) => void warnings.push(what);
  await bytesOf(backUp(new Date(), { onLeftOut }));
  expect(warnings).toEqual([]);
  const missing = join(dataDir.path, "not-mounted");
  setEnvironment({ ...settingsFor(dataDir.path), CONTENT_DIR: missing });
  await bytesOf(backUp(new Date(), { onLeftOut }));
  expect(warnings).toEqual([expect.stringContaining(`CONTENT_DIR ${missing} is missing or empty`)]);
});

describe("a restored backup", () => {
  it("has every foreign key, private files, and no files that can be regenerated", async () => {
    await withEmptySite(async ({ database, path }) => {
      await restoreInto(database, backup);
      expect(statSync(join(path, "session-secret")).mode & 0o777).toBe(0o600);
      expect(existsSync(join(path, "outbox/2026.eml"))).toBe(true);
      for (const left of [
        "content/golden-path-20261123T040506Z.tar.gz",
        "library",
        "postgres.log",
        ".restoring",
        "content/.restoring",
      ]) {
        expect(existsSync(join(path, left))).toBe(false);
      }
      const keys = sql`select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint order by 1, 2`;
      expect(await database.db.execute(keys)).toEqual(await getDatabase().db.execute(keys));
      await expect(
        database.db.execute(
          sql`insert into sessions (token_hash, user_id, expires_at) values ('x', gen_random_uuid(), now())`,
        ),
      ).rejects.toThrow();
      const heading = sql`select heading_search::text as text from edition_documents`;
      expect(await database.db.execute(heading)).toEqual([{ text: "'dawn':3A 'walk':1A" }]);
    });
  });

  it("can go into the database of an unused site, and leaves other sequences unchanged", async () => {
    await withEmptySite(
      async ({ database, path }) => {
        await database.db.execute(sql`create sequence numbers_of_others start 41`);
        await database.db.execute(sql`select nextval('numbers_of_others')`);
        writeFiles(path, { "session-secret": "another secret, made by the first start" });
        await database.db.execute(sql`insert into site_keys (name, value) values ('letters', 'x')`);
        const { replaced } = await restoreInto(database, backup);
        const { "public.numbers_of_others": kept, ...rest } = await digestOf(database);
        expect(kept).toBe("41 true");
        expect(rest).toEqual(await digestOf(getDatabase()));
        expect(replaced).toHaveLength(1);
        expect(readFileSync(replaced[0] ?? "", "utf8")).toContain("made by the first start");
      },
      { empty: false },
    );
  });
});

describe("a restore is refused without changing anything", () => {
  const refused = (database: Database, words: RegExp) =>
    expect(restoreInto(database, backup)).rejects.toThrow(words);

  it("if the database has other tables", async () => {
    await withEmptySite(async ({ database }) => {
      await database.db.execute(sql`create table shoes (id int)`);
      await refused(database, /tables of something else \(public\.shoes\)/);
      expect(await digestOf(database)).toEqual({ "public.shoes": "0 rows " });
    });
  });

  it("if a site runs on the database", async () => {
    await withEmptySite(async ({ database, test }) => {
      const running = openDatabase(test.url);
      await running.db.execute(sql`select 1`);
      await refused(database, /stop it first/);
      await running.close();
    });
  });

  it("if CONTENT_DIR holds another edition, unless it is to be kept", async () => {
    await withEmptySite(async ({ database, path }) => {
      writeFiles(path, { "content/chapters/01-dawn.md": "# Another dawn\n" });
      await refused(database, /holds an edition that is not the backup's/);
      expect(await digestOf(database)).toEqual({});
      await restoreInto(database, backup, { keepContent: true });
      expect(readFileSync(join(path, "content/chapters/01-dawn.md"), "utf8")).toContain("Another");
    });
  });

  it("if the backup is of a newer release", async () => {
    const verified = await verifyBackup(inPieces(backup));
    verified.manifest.migrations.push("ab".repeat(32));
    const work = vi.fn();
    await expect(restoreBackup(verified, () => inPieces(backup), work)).rejects.toThrow(
      /does not know: install that release/,
    );
    expect(work).not.toHaveBeenCalled();
  });

  it("if the backup is of a newer format", async () => {
    const manifest = { ...(contentOf(backup, "manifest.json") as object), version: 2 };
    const body = JSON.stringify(manifest);
    const bytes = await packTar([file("manifest.json", body)]);
    await expect(verifyBackup(inPieces(gzipSync(bytes)))).rejects.toThrow(/newer release/);
  });
});

describe("a backup is refused as damaged", () => {
  it("wherever it is cut off", async () => {
    const lengths = new Set([0, 1, 5, 9, 10, 11, 17, backup.length - 1, backup.length - 8]);
    for (let step = 1; step < 60; step++) lengths.add(Math.floor((backup.length * step) / 60));
    for (const length of lengths) {
      await expect(verifyBackup(inPieces(backup.subarray(0, length)))).rejects.toThrow(
        /not a backup|incomplete|altered/,
      );
    }
  });

  it("whichever byte is altered, if that changes the contents", async () => {
    const tar = gunzipSync(backup);
    const positions = new Set(
      Array.from({ length: 24 }, (_, at) => [at, backup.length - 1 - at]).flat(),
    );
    for (let step = 1; step < 120; step++) positions.add(Math.floor((backup.length * step) / 120));
    for (const position of positions) {
      const altered = Buffer.from(backup);
      altered.writeUInt8((altered[position] ?? 0) ^ 0xff, position);
      const outcome = await verifyBackup(inPieces(altered)).then(
        () => "verified",
        (error: Error) => error.message,
      );
      // copying a repetition from elsewhere in the same text changes nothing
      if (outcome === "verified") expect(gunzipSync(altered), `byte ${position}`).toEqual(tar);
      else expect(outcome, `byte ${position}`).toMatch(/not a backup|incomplete|altered|newer/);
    }
  });

  it.each([
    ["another archive", gzipSync(Buffer.from("hello"))],
    ["noughts", Buffer.alloc(100_000)],
  ])("if it is %s", async (_, bytes) => {
    await expect(verifyBackup(inPieces(bytes))).rejects.toThrow(/not a backup|altered|incomplete/);
  });
});

describe("a hostile archive is refused", () => {
  const special = (type: "symlink" | "fifo", linkname?: string) => ({
    header: { name: "files/content/x", size: 0, type, linkname },
  });
  const manifest = () => file("manifest.json", JSON.stringify(contentOf(backup, "manifest.json")));

  it.each([
    ["a path out of its folder", [file("files/../../etc/passwd")]],
    ["a path of another system", [file("files/..\\..\\x")]],
    ["a drive", [file("files/c:/x")]],
    ["an unknown entry", [file("hello.txt")]],
    ["a second manifest", [file("manifest.json", "{}")]],
    ["a link", [special("symlink", "/etc/passwd")]],
    ["a device", [special("fifo")]],
  ])("with %s", async (_, entries) => {
    const bytes = gzipSync(await packTar([manifest(), ...entries]));
    await expect(verifyBackup(inPieces(bytes))).rejects.toThrow(/not a backup of this program/);
  });

  it("without the manifest as its first entry", async () => {
    const bytes = gzipSync(await packTar([file("files/session-secret"), manifest()]));
    await expect(verifyBackup(inPieces(bytes))).rejects.toThrow(/not a backup/);
  });

  it("with a manifest too large for memory, however well compressed", async () => {
    const huge = Buffer.alloc(4_000_000, "a").toString();
    const claimed = await packTar([file("manifest.json", huge)]);
    await expect(verifyBackup(inPieces(gzipSync(claimed)))).rejects.toThrow(/not a backup/);
  });
});

function contentOf(bytes: Buffer, name: string): unknown {
  const tar = gunzipSync(bytes);
  const at = tar.indexOf(name);
  const size = Number.parseInt(tar.subarray(at + 124, at + 135).toString(), 8);
  return JSON.parse(tar.subarray(at + 512, at + 512 + size).toString());
}

function file(name: string, body = "x") {
  return { header: { name, size: body.length }, body };
}
