import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { type Database, openDatabase } from "~db/client";
import { runCommand } from "../support/command";
import { createTestDatabase, type TestDatabase } from "../support/postgres";
import { temporaryDirectory } from "../support/program";

const SOURCE = "sign-up sheet at the book fair, May 2026";

let testDatabase: TestDatabase;
let database: Database;
let folder: ReturnType<typeof temporaryDirectory>;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase(testDatabase.url);
  folder = temporaryDirectory();
  setEnvironment(site());
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
  folder.remove();
});
beforeEach(async () => {
  await database.db.execute(sql`truncate subscribers, suppressed_addresses`);
  rmSync(join(folder.path, "lists"), { recursive: true, force: true });
  mkdirSync(join(folder.path, "lists"));
});

const site = () => ({
  DATABASE_URL: testDatabase.url,
  DATA_DIR: folder.path,
  LOG_LEVEL: "silent",
});

const subscribers = (...command: string[]) => runCommand("subscribers", ...command);

function fileOf(content: string, name = "list.csv"): string {
  const file = join(folder.path, "lists", name);
  writeFileSync(file, content);
  return file;
}

const stored = () =>
  database.db.execute(
    sql`select email, consent_source as source, confirmed_at is not null as confirmed
        from subscribers order by email`,
  );

const succeeded = (stdout: string) => ({ code: 0, stdout, stderr: "" });
const failed = (stderr: string) => ({ code: 1, stdout: "", stderr: `${stderr}\n` });

describe("subscribers", () => {
  it("refuse a folder without a database, and create none there", async () => {
    const elsewhere = join(folder.path, "elsewhere");
    setEnvironment({ DATA_DIR: elsewhere, LOG_LEVEL: "silent" });
    try {
      expect(await subscribers("add", "reader@example.test", "--source", SOURCE)).toEqual(
        failed(
          `There is no database in DATA_DIR ${elsewhere}: set DATA_DIR to the site's, or start the site, which creates one.`,
        ),
      );
      expect(existsSync(elsewhere)).toBe(false);
    } finally {
      setEnvironment(site());
    }
  });
});

describe("subscribers add and remove", () => {
  it("put an address on the list with its consent's source, and remove it", async () => {
    expect(await subscribers("add", "Reader@Example.test", "--source", SOURCE)).toEqual(
      succeeded("reader@example.test is on the list.\n"),
    );
    expect(await stored()).toEqual([
      { email: "reader@example.test", source: SOURCE, confirmed: true },
    ]);
    expect(await subscribers("add", "reader@example.test", "--source", "elsewhere")).toEqual(
      succeeded("reader@example.test was already on the list; nothing was changed.\n"),
    );
    expect(await stored()).toMatchObject([{ source: SOURCE }]);
    expect(await subscribers("remove", "READER@example.test")).toEqual(
      succeeded(
        "reader@example.test was removed from the list; it stays out until its owner subscribes on the site.\n",
      ),
    );
    expect(await stored()).toEqual([]);
    expect((await subscribers("remove", "other@example.test")).stdout).toMatch(
      /^other@example.test was not on the list; it stays out until/,
    );
    for (const email of ["Reader@example.test", "other@example.test"]) {
      expect((await subscribers("add", email, "--source", SOURCE)).stderr).toContain(
        "was not added: its owner unsubscribed.",
      );
    }
    expect((await subscribers("stats")).stdout).toContain(
      " 2  unsubscribed, and kept out of imports\n",
    );
  });

  it("do not revive a suppressed address", async () => {
    await subscribers("bounce", fileOf("reader@example.test\n"));
    expect(await subscribers("add", "reader@example.test", "--source", SOURCE)).toEqual(
      failed(
        "reader@example.test was not added: it is listed as undeliverable. Its owner can subscribe on the site, and confirm.",
      ),
    );
    expect(await stored()).toEqual([]);
  });
});

describe("subscribers import", () => {
  it("adds a list, reports the outcome of every record, and writes a file of rejected ones", async () => {
    await subscribers("add", "known@example.test", "--source", "elsewhere");
    await database.db.execute(sql`insert into subscribers (email) values ('asked@example.test')`);
    await subscribers("bounce", fileOf("gone@example.test", "bounces.txt"));
    const file = fileOf(
      [
        "Name;E-Mail",
        "A;a@example.test",
        "A again;A@EXAMPLE.TEST",
        "K;known@example.test",
        "W;asked@example.test",
        "G;gone@example.test",
        '"=cmd|calc"; =1+1',
        "nobody;",
      ].join("\r\n"),
    );
    const report = join(folder.path, "lists", "list.refused.csv");
    expect(await subscribers("import", file, "--source", SOURCE)).toEqual(
      succeeded(
        [
          "1 added",
          "1 already on the list, and now confirmed",
          "1 already on the list",
          "1 repeated in the file",
          "1 suppressed, and not added",
          "2 refused",
          `What was left out, and why: ${report}\n`,
        ].join("\n"),
      ),
    );
    expect(await stored()).toEqual([
      { email: "a@example.test", source: SOURCE, confirmed: true },
      { email: "asked@example.test", source: SOURCE, confirmed: true },
      { email: "known@example.test", source: "elsewhere", confirmed: true },
    ]);
    expect(parse(readFileSync(report), { bom: true })).toEqual([
      ["line", "value", "reason"],
      ["6", "gone@example.test", "suppressed: it is listed as undeliverable"],
      ["7", "'=1+1", "not an email address"],
      ["8", "nobody;", "no email address"],
    ]);
    expect(statSync(report).mode & 0o077).toBe(0);

    // run again, as after an interruption: nothing changes, and a clean file has no report
    writeFileSync(file, "a@example.test\nknown@example.test\n");
    expect(await subscribers("import", file, "--source", "again")).toEqual(
      succeeded("0 added\n2 already on the list\n"),
    );
    expect(() => statSync(report)).toThrow("ENOENT");
    expect(await stored()).toMatchObject([{ source: SOURCE }, {}, { source: "elsewhere" }]);
  });

  it("requires the consent's source and an existing file", async () => {
    const file = fileOf("a@example.test\n");
    expect(await subscribers("import", file)).toEqual(
      failed(
        "Say where the consent comes from, as in --source 'sign-up sheet at the book fair, May 2026'.",
      ),
    );
    const missing = join(folder.path, "lists", "missing.csv");
    expect(await subscribers("import", missing, "--source", SOURCE)).toEqual(
      failed(`There is no file ${missing}.`),
    );
    expect(await stored()).toEqual([]);
  });
});

describe("subscribers import of an export with unsubscribed addresses", () => {
  it("adds nobody, and names the column", async () => {
    for (const [content, columns] of [
      ["Email;Hard bounce;Opt-in\na@example.test;yes;\n", "'Hard bounce', 'Opt-in'"],
      // without a header, by the first line's values
      ["a@example.test,Unsubscribed\n", "'Unsubscribed'"],
    ]) {
      const file = fileOf(content ?? "");
      expect((await subscribers("import", file, "--source", SOURCE)).stderr).toBe(
        `${file} has a column that looks like a status, and isn't recognized: ${columns}. Keep the lines of those who are subscribed, delete the column, and import the file again.\n`,
      );
    }
    expect(await stored()).toEqual([]);
  });

  it("can be suppressed as it is", async () => {
    const file = fileOf("email,bounced_at,type\na@example.test,2026-05-01,hard\n");
    expect((await subscribers("bounce", file)).stdout).toBe(
      "1 newly suppressed, of 1 in the file\n",
    );
  });
});

describe("subscribers bounce", () => {
  it("suppresses the addresses in a file, which stay on the list but get no mail", async () => {
    await subscribers("import", fileOf("a@example.test\nb@example.test"), "--source", SOURCE);
    const bounces = fileOf("email,when\nA@example.test,today\nx@example.test,today\nnobody,\n");
    expect(await subscribers("bounce", bounces)).toEqual(
      succeeded(
        `2 newly suppressed, of 2 in the file\n1 refused\nWhat was left out, and why: ${join(folder.path, "lists", "list.refused.csv")}\n`,
      ),
    );
    expect((await subscribers("list")).stdout).toMatch(/^b@example.test\t[\d-]{10}\tsign-up.*\n$/);
    expect((await subscribers("list", "--suppressed")).stdout).toMatch(
      /^a@example.test\t[\d-]{10}\tit is listed as undeliverable\n$/,
    );
    expect(await stored()).toHaveLength(2);
    expect((await subscribers("bounce", bounces, "--lift")).stdout).toMatch(
      /^2 no longer suppressed, of 2 in the file\n/,
    );
    expect((await subscribers("list")).stderr).toBe("2 in all\n");
  });

  it("with --complaint deletes them too, and only their owner's confirmation revives them", async () => {
    await subscribers("import", fileOf("a@example.test\nb@example.test"), "--source", SOURCE);
    const file = fileOf("a@example.test\n", "complaints.txt");
    expect(await subscribers("bounce", file, "--complaint")).toEqual(
      succeeded("1 newly suppressed, of 1 in the file\n1 removed from the list\n"),
    );
    expect(await stored()).toMatchObject([{ email: "b@example.test" }]);
    expect((await subscribers("bounce", file, "--lift")).stdout).toBe(
      "0 no longer suppressed, of 1 in the file\n",
    );
    expect((await subscribers("import", file, "--source", SOURCE)).stdout).toContain(
      "1 suppressed, and not added\n",
    );
    expect(await subscribers("bounce", file, "--complaint", "--lift")).toEqual(
      failed("Choose one of --complaint and --lift."),
    );
  });
});

describe("subscribers list and stats", () => {
  it("show only the requested rows", async () => {
    await database.db.execute(sql`
      insert into subscribers (email, confirmed_at, created_at, unsubscribe_token)
      select 'reader-' || n || '@example.test', now(), now() - n * interval '2 days', 'secret-' || n
      from generate_series(1, 25) n`);
    await database.db.execute(sql`insert into subscribers (email) values ('asked@example.test')`);
    const { stdout, stderr } = await subscribers("list");
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(20);
    expect(lines[0]).toMatch(/^reader-1@example\.test\t[\d-]{10}\tthe site's form$/);
    expect(stdout).not.toContain("secret");
    expect(stderr).toBe(
      "20 of 25, the newest; see more with --limit, or all with 'subscribers export'\n",
    );
    expect((await subscribers("list", "--limit", "1", "--match", "Reader-2")).stdout).toMatch(
      /^reader-2@example\.test\t\S+\tthe site's form\n$/,
    );
    expect((await subscribers("list", "--unconfirmed")).stdout).toMatch(/^asked@example\.test\t/);
    expect(await subscribers("list", "--limit", "0")).toEqual(
      failed("--limit: found '0', wanted a whole number from 1."),
    );
    expect(await subscribers("list", "--unconfirmed", "--suppressed")).toEqual(
      failed("Choose one of --unconfirmed and --suppressed."),
    );
  });

  it("count reached and other addresses, and the sources of consent", async () => {
    await database.db.execute(sql`
      insert into subscribers (email, confirmed_at, created_at)
      select 'reader-' || n || '@example.test', now(), now() - n * interval '10 days'
      from generate_series(1, 1200) n`);
    await database.db.execute(sql`insert into subscribers (email) values ('asked@example.test')`);
    await subscribers("import", fileOf("a@example.test\nb@example.test"), "--source", SOURCE);
    await subscribers("bounce", fileOf("a@example.test"));
    expect(await subscribers("stats")).toEqual(
      succeeded(
        [
          "      1,201  get the newsletter",
          "          3    joined in the last 30 days",
          "      1,200    the site's form",
          "          1    sign-up sheet at the book fair, May 2026",
          "          1  not confirmed",
          "          0  suppressed after a hard bounce",
          "          1  suppressed as listed",
          "          0  suppressed after a complaint",
          "          0  unsubscribed, and kept out of imports\n",
        ].join("\n"),
      ),
    );
  });
});

describe("subscribers export", () => {
  it("writes a byte order mark, every value in quotes, and nothing for unknown values", async () => {
    await database.db.execute(sql`
      insert into subscribers (email, confirmed_at, consent_source, consent_recorded_at, created_at)
      values ('one@example.test', '2026-05-01T10:00:00Z', 'the book fair', '2026-05-02T10:00:00Z', '2026-05-01T09:00:00Z'),
        ('two@example.test', '2026-05-03T10:00:00Z', null, null, '2026-05-03T09:00:00Z')`);
    const { stdout } = await subscribers("export");
    const [first, ...others] = stdout.trimEnd().split("\n");
    expect(first).toBe(
      '\ufeff"email","status","created_at","confirmed_at","consent_source","consent_recorded_at"',
    );
    expect(others.sort()).toEqual([
      '"one@example.test","subscribed","2026-05-01T09:00:00.000Z","2026-05-01T10:00:00.000Z","the book fair","2026-05-02T10:00:00.000Z"',
      '"two@example.test","subscribed","2026-05-03T09:00:00.000Z","2026-05-03T10:00:00.000Z",,',
    ]);
  });

  it("writes the list with each status, safely for spreadsheets, and reads it back", async () => {
    const odd = ["+p@example.test", "=is@example.test", "'+both@example.test", "o'x@example.test"];
    const file = fileOf(odd.map((address) => address.replace(/^'*[+=]/, "'$&")).join("\n"));
    await subscribers("import", file, "--source", '=1+1, as "they" say');
    await database.db.execute(sql`insert into subscribers (email) values ('asked@example.test')`);
    await database.db.execute(sql`
      insert into subscribers (email, confirmed_at, created_at)
      select 'reader-' || n || '@example.test', now(), now() from generate_series(1, 6000) n`);
    await subscribers("bounce", fileOf("reader-1@example.test"));
    const addresses = async () =>
      (await stored())
        .filter(({ email, confirmed }) => confirmed && email !== "reader-1@example.test")
        .map(({ email }) => email);
    const before = await addresses();
    expect(before).toEqual(expect.arrayContaining(odd));

    const { stdout } = await subscribers("export");
    const rows = (parse(stdout, { bom: true }) as string[][]).slice(1);
    expect(rows).toHaveLength(6005);
    const statusOf = (email: string) => rows.find(([address]) => address === email)?.[1];
    expect(statusOf("asked@example.test")).toBe("unconfirmed");
    expect(statusOf("reader-1@example.test")).toBe("listed");
    expect(rows.flat().filter((cell) => /^[=+\-@\t\r]/.test(cell))).toEqual([]);
    expect(rows.find(([email]) => email === "'=is@example.test")?.[4]).toBe(
      '\'=1+1, as "they" say',
    );

    await database.db.execute(sql`truncate subscribers`);
    const imported = await subscribers("import", fileOf(stdout), "--source", "moved");
    expect(imported.stdout).toBe(
      "6,003 added\n0 already on the list\n1 bounced according to the file, and not added\n1 not confirmed, or paused, according to the file, and not added\n",
    );
    expect(await addresses()).toEqual(before);
  });
});
