import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connectDatabase, type Database, type Executor, openDatabase } from "~db/client";
import { databaseErrorCode, isDatabaseUnavailable } from "~db/database-errors";
import { migrateDatabase } from "~db/migrate";
import { openConnection } from "~db/open-connection";
import { withInstanceLock } from "~db/queries/instance-lock";
import { eventually } from "../../support/eventually";
import { type Pooler, startPooler } from "../../support/pgbouncer";
import { freePorts } from "../../support/ports.mjs";
import {
  type ReplicatedPostgres,
  startReplicatedPostgres,
} from "../../support/replicated-postgres";
import { serverProgram, unlessInstalled } from "../../support/server-programs.mjs";

let postgres: ReplicatedPostgres;
const open: Database[] = [];

beforeAll(async () => {
  postgres = await startReplicatedPostgres();
});
afterEach(async () => {
  for (const database of open.splice(0)) await database.close();
});
afterAll(() => postgres?.remove());

function databaseAt(hosts: string[], options: Parameters<typeof openDatabase>[1] = {}): Database {
  const database = openDatabase(postgres.url(hosts), options);
  open.push(database);
  return database;
}

const portOf = async ({ db }: Database) => {
  const [row] = await db.execute<{ port: number }>(sql`select inet_server_port() as port`);
  return row?.port;
};

const failure = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => null,
    (error: Error) => error,
  );

describe("an address with several hosts", () => {
  it("leads to the primary, at any place in the list", async () => {
    const { primary, standby } = postgres;
    for (const hosts of [
      [primary.host, standby.host],
      [standby.host, primary.host],
    ]) {
      expect(await portOf(databaseAt(hosts))).toBe(primary.port);
    }
  });

  it("leads to a standby on request, as for a backup", async () => {
    const { primary, standby } = postgres;
    for (const [wanted, port] of [
      ["standby", standby.port],
      ["prefer-standby", standby.port],
      ["primary", primary.port],
      ["any", primary.port],
    ] as const) {
      const url = postgres.url([primary.host, standby.host], { target_session_attrs: wanted });
      const database = openDatabase(url);
      open.push(database);
      expect([wanted, await portOf(database)]).toEqual([wanted, port]);
    }
  });

  it("skips a host where nothing listens", async () => {
    const nobody = `127.0.0.1:${await freePorts(1)}`;
    expect(await portOf(databaseAt([nobody, postgres.primary.host]))).toBe(postgres.primary.port);
  });

  it("gives the reason for each host if none can be used", async () => {
    const port = await freePorts(1);
    const { standby } = postgres;
    await expect(
      connectDatabase(postgres.url([`127.0.0.1:${port}`, standby.host])),
    ).rejects.toThrow(
      `Cannot use the database at 127.0.0.1:${port},${standby.host}/golden_path (DATABASE_URL): 127.0.0.1:${port}: nothing listens there (connection refused); ${standby.host}: it is a standby, which is read-only; this program needs the primary.`,
    );
  });
});

it("a standby alone counts as a database that is down, even for reading", async () => {
  const database = databaseAt([postgres.standby.host], { restartTimeout: 100 });
  const error = await failure(database.db.execute(sql`select 1`));
  expect(isDatabaseUnavailable(error)).toBe(true);
});

it("a statement refused by a server that became read-only is retried once it can be written", async () => {
  const { primary } = postgres;
  const database = databaseAt([primary.host], { restartTimeout: 5_000 });
  await database.db.execute(sql`create table if not exists written (at int)`);
  const setReadOnly = async (value: "on" | "off") => {
    await primary.ask(`alter system set default_transaction_read_only = ${value}`);
    await primary.ask("select pg_reload_conf()");
    await eventually(async () => {
      const [row] = await primary.ask("show default_transaction_read_only");
      expect(row?.default_transaction_read_only).toBe(value);
    });
  };
  await setReadOnly("on");
  const writing = failure(database.db.execute(sql`insert into written values (1)`));
  await eventually(() => expect(database.statistics().waiting).toBe(1));
  await setReadOnly("off");
  expect(await writing).toBeNull();
  expect(await database.db.execute(sql`select at from written`)).toEqual([{ at: 1 }]);
});

it("a commit that the standby has not confirmed in time is not acknowledged", async () => {
  const { primary, standby } = postgres;
  const database = databaseAt([primary.host], { statementTimeout: 300 });
  await database.db.execute(sql`create table confirmed (at int)`);
  const add = (executor: Executor, at: number) =>
    executor.execute(sql`insert into confirmed values (${at})`);
  await standby.freeze();
  const outcomes = await Promise.all([
    failure(add(database.db, 1)),
    failure(database.db.transaction((tx) => add(tx, 2))),
  ]);
  await standby.freeze("SIGCONT");
  expect(outcomes.map(databaseErrorCode)).toEqual(["QUERY_TIMEOUT", "QUERY_TIMEOUT"]);
  await eventually(async () => expect(await failure(add(database.db, 3))).toBeNull());
});

const canPool = serverProgram("pgbouncer") !== null;

describe.skipIf(!canPool)(`behind PgBouncer${unlessInstalled("pgbouncer")}`, () => {
  let pooler: Pooler;
  let session: Pooler;

  beforeAll(async () => {
    // fewer PostgreSQL sessions than connections, so sessions change between transactions
    pooler = await startPooler(postgres.primary.port, { default_pool_size: "3" });
    session = await startPooler(postgres.primary.port, { pool_mode: "session" });
  });
  afterAll(async () => {
    await pooler?.remove();
    await session?.remove();
  });

  it("is recognized, and PostgreSQL itself is not mistaken for it", async () => {
    const isPooled = async (host: string, parameters = {}) => {
      const url = postgres.url([host], parameters);
      const connection = await openConnection({ url, applicationName: "test" });
      await connection.end();
      return connection.isPooled;
    };
    expect(await isPooled(pooler.host)).toBe(true);
    expect(await isPooled(session.host)).toBe(true);
    expect(await isPooled(postgres.primary.host)).toBe(false);
    expect(await isPooled(pooler.host, { pgbouncer: "false" })).toBe(false);
    expect(await isPooled(postgres.primary.host, { pgbouncer: "true" })).toBe(true);
  });

  it("statements with parameters work, in and outside transactions, in any session", async () => {
    const { db } = databaseAt([pooler.host]);
    const add = async (executor: Executor, i: number) => {
      // several texts, each of which would be prepared by name
      const [row] = await executor.execute<{ sum: number }>(
        sql`select ${i}::int + ${sql.raw(String(i % 7))} as sum`,
      );
      return row?.sum;
    };
    const rounds = Array.from({ length: 300 }, (_, i) =>
      i % 2 === 0 ? add(db, i) : db.transaction((tx) => add(tx, i)),
    );
    expect(await Promise.all(rounds)).toEqual(Array.from({ length: 300 }, (_, i) => i + (i % 7)));
  });

  it("simultaneous starts apply each migration once", async () => {
    const counts = await Promise.all(
      [1, 2, 3].map(() => migrateDatabase(databaseAt([pooler.host]))),
    );
    expect(counts.filter((count) => count > 0)).toHaveLength(1);
  });

  it("only one backup runs at a time", async () => {
    const first = databaseAt([pooler.host]);
    const second = databaseAt([pooler.host]);
    const during = await withInstanceLock(
      "backup",
      () => withInstanceLock("backup", async () => "a second one", second),
      first,
    );
    expect(during).toBeNull();
    expect(await withInstanceLock("backup", async () => "a later one", second)).toBe("a later one");
  });

  it("a statement that exceeds its timeout is canceled on the server", async () => {
    const database = databaseAt([pooler.host], { max: 1, statementTimeout: 200 });
    await failure(database.db.execute(sql`select pg_sleep(30)`));
    await eventually(async () => {
      const rows = await postgres.primary.ask(
        "select 1 from pg_stat_activity where query = 'select pg_sleep(30)' and state = 'active'",
      );
      expect(rows).toHaveLength(0);
    });
    expect(await portOf(database)).toBe(postgres.primary.port);
  });

  it("settings of one transaction do not reach the next", async () => {
    const { db } = databaseAt([pooler.host]);
    await db.transaction((tx) => tx.execute(sql`set local statement_timeout = 1234`));
    const values = await Promise.all(
      Array.from({ length: 20 }, () => db.execute(sql`show statement_timeout`)),
    );
    expect(new Set(values.flat().map((row) => row.statement_timeout))).toEqual(new Set(["0"]));
  });
});

// last, because they change the primary
describe("after a promotion", () => {
  it("connections held open by a machine without power are replaced by some to the new primary", async () => {
    const { primary, standby } = postgres;
    const database = databaseAt([primary.host, standby.host], { statementTimeout: 60_000 });
    await Promise.all(Array.from({ length: 5 }, () => portOf(database)));
    await primary.freeze();
    const held = failure(portOf(database));
    await standby.promote();
    await eventually(async () => expect(await portOf(database)).toBe(standby.port));
    expect(isDatabaseUnavailable(await held)).toBe(true);
  });
});
