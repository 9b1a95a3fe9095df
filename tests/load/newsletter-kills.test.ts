import { type ChildProcess, spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { childEnvironment } from "../support/child-environment.mjs";
import { eventually } from "../support/eventually";
import { addWalkers, issueFile } from "../support/newsletter";
import { OwnPostgres } from "../support/own-postgres";
import { type Program, startProgram, temporaryDirectory } from "../support/program";
import { randomNumbers } from "../support/random-numbers";
import { type Delivery, type SmtpSink, startSmtpSink } from "../support/smtp-sink";

const PROGRAM = resolve(import.meta.dirname, "../../build/index.js");

/** NEWSLETTER_SIZE=100000 NEWSLETTER_KILLS=20 takes about five minutes. */
const SIZE = Number(process.env.NEWSLETTER_SIZE ?? 3_000);
const KILLS = Number(process.env.NEWSLETTER_KILLS ?? 3);
/** Repeats a run's random choices, but not the machine's timing. */
const SEED = Number(process.env.NEWSLETTER_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** At every kill whose number is a multiple of this, the database server crashes as well. */
const CRASH_EVERY = 3;

/** Time for mails claimed at several kills: each take-over waits a minute longer than the one before. */
const LAST_MAILS_MS = 180_000;

const ISSUE = issueFile(`---
subject: "The first mile is the longest"
slug: the-first-mile
preview: A practice for the morning on which you would rather not begin.
---

${"There is a gate at the end of my street, and on most mornings it is the hardest part of the walk.\n\n".repeat(40)}`);

const random = randomNumbers(SEED);
const data = temporaryDirectory();
let postgres: OwnPostgres;
let database: Database;
let sink: SmtpSink;
let variables: Record<string, string>;

/** The programs that send; a killed one is replaced. */
const instances: Program[] = [];

beforeAll(async () => {
  // survives crashes, but not power cuts
  postgres = await OwnPostgres.create();
  database = openDatabase(postgres.url);
  sink = await startSmtpSink();
  variables = {
    DATABASE_URL: postgres.url,
    DATA_DIR: data.path,
    PUBLIC_URL: "http://localhost:8000",
    SMTP_URL: sink.url,
    MAIL_FROM: "Maren <maren@book.test>",
  };
  instances.push(await startProgram({ variables }), await startProgram({ variables }));
  await addWalkers(SIZE, database);
});
afterAll(async () => {
  await Promise.all(instances.map((program) => program.stop()));
  await sink?.stop();
  await database?.close();
  await postgres?.remove();
  data.remove();
  ISSUE.remove();
});

it("every subscriber gets an issue once, however often the sending programs are killed", {
  timeout: 120_000 + SIZE * 10 + LAST_MAILS_MS,
}, async () => {
  const aborted = await sendUntilWritten();
  await killWhileSending();
  await vi.waitUntil(async () => (await sink.count()) >= SIZE, {
    timeout: 60_000 + SIZE * 10,
    interval: 250,
  });
  await vi.waitUntil(async () => (await statesOf()).sent === SIZE, {
    timeout: LAST_MAILS_MS,
    interval: 500,
  });

  const deliveries = await sink.deliveries();
  const copies = byAddress(deliveries);
  const repeated = [...copies.values()].filter(({ length }) => length > 1);
  const doubts = await findDoubts();
  console.log(
    `${SIZE} addresses, seed ${SEED}: ${aborted} of 'newsletter send' killed, then ${KILLS} kills; ${doubts.size} mails counted as possibly sent twice, ${repeated.length} of them were`,
  );

  expect(copies.size).toBe(SIZE);
  expect(
    [...copies.keys()].filter((address) => !/^walker\d+@example\.test$/.test(address)),
  ).toEqual([]);
  for (const [first, ...others] of repeated) {
    const doubted = doubts.get(first?.address ?? "") ?? 0;
    expect(others.length, first?.address).toBeLessThanOrEqual(doubted);
    for (const { messageId } of others) expect(messageId).toBe(first?.messageId);
  }
});

/**
 * Runs `newsletter send`, killed within its first second, and then later and later, until it has written the
 * campaign. Expects each killed run to write all or nothing; returns their number.
 */
async function sendUntilWritten(): Promise<number> {
  for (let killed = 0; ; killed++) {
    const command = ["newsletter", "send", ISSUE.file, "--yes"];
    const child = spawn(process.execPath, [PROGRAM, ...command], {
      env: childEnvironment(variables),
      stdio: "ignore",
    });
    await endOrKill(child, random() * Math.max(1_000, 250 * killed));
    const [row] = await database.db.execute<{ campaigns: number; mails: number }>(sql`
      select (select count(*)::int from campaigns) as campaigns, (select count(*)::int from mails) as mails`);
    if (row?.campaigns === 1) {
      expect(row.mails).toBe(SIZE);
      return killed;
    }
    expect(row).toEqual({ campaigns: 0, mails: 0 });
  }
}

async function endOrKill(child: ChildProcess, afterMs: number): Promise<void> {
  const timer = setTimeout(() => child.kill("SIGKILL"), afterMs);
  await new Promise((done) => child.once("exit", done));
  clearTimeout(timer);
}

/** Kills the programs, and sometimes the database server, at random points of the sending. */
async function killWhileSending(): Promise<void> {
  const points = Array.from({ length: KILLS }, () => random() * SIZE * 0.9).toSorted(
    (a, b) => a - b,
  );
  for (const [index, point] of points.entries()) {
    await vi.waitUntil(async () => (await sink.count()) >= point, {
      timeout: 60_000 + SIZE * 10,
      interval: 20,
    });
    await pause(random() * 20);
    const victim = random() < 0.5 ? 0 : 1;
    const killed = instances[victim]?.stop("SIGKILL");
    if (index % CRASH_EVERY === CRASH_EVERY - 1) await crashDatabase();
    expect(await killed).toBe("SIGKILL");
    // as an operator would, repeatedly while the database recovers
    instances[victim] = await eventually(() => startProgram({ variables }));
  }
}

/** Kills a process of the server, which makes it close all connections and recover. */
async function crashDatabase(): Promise<void> {
  const [backend] = await database.db.execute<{ pid: number }>(sql`
    select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`);
  if (!backend) throw new Error("There is no backend to kill.");
  process.kill(backend.pid, "SIGKILL");
}

async function statesOf(): Promise<Record<string, number>> {
  const rows = await database.db.execute<{ state: string; count: number }>(
    sql`select state, count(*)::int as count from mails group by state`,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

/** Returns how often each address's mail was in doubt. */
async function findDoubts(): Promise<Map<string, number>> {
  const rows = await database.db.execute<{ email: string; doubts: number }>(sql`
    select email, times_in_doubt as doubts from mails join subscribers on subscribers.id = subscriber_id
    where times_in_doubt > 0`);
  return new Map(rows.map(({ email, doubts }) => [email, doubts]));
}

/** Groups the copies of each mail by address, in the order of arrival. */
function byAddress(deliveries: Delivery[]): Map<string, Delivery[]> {
  const copies = new Map<string, Delivery[]>();
  for (const delivery of deliveries) {
    const earlier = copies.get(delivery.address);
    if (earlier) earlier.push(delivery);
    else copies.set(delivery.address, [delivery]);
  }
  return copies;
}
