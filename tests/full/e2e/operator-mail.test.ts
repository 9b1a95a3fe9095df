import { randomUUID } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { insertMatter } from "~db/queries/operator-matters";
import { eventually } from "../../support/eventually";
import { mailIdle } from "../../support/mail";
import { createTestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { METRICS_TOKEN, readMetric } from "../../support/program-site";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp";

const OPERATOR = "hand@operator.test";

const folders = [temporaryDirectory(), temporaryDirectory()] as const;
let smtp: TestSmtpServer;
/** Whether the mail server ends every conversation. */
let isAway = false;
let database: Database;
let drop: () => Promise<void>;
let variables: Record<string, string>;

beforeAll(async () => {
  smtp = await startSmtpServer({
    refuse: () => (isAway ? { code: 421, text: "4.3.2 shutting down" } : null),
  });
  const created = await createTestDatabase();
  drop = created.drop;
  database = openDatabase(created.url);
  variables = {
    DATABASE_URL: created.url,
    SMTP_URL: smtp.url,
    MAIL_FROM: "letters@book.test",
    OPERATOR_EMAIL: OPERATOR,
    METRICS_TOKEN,
    LOG_LEVEL: "info",
  };
});
afterAll(async () => {
  await Promise.all(started.map((program) => program.stop("SIGKILL")));
  await smtp.close();
  await database.close();
  await drop();
  for (const folder of folders) folder.remove();
});

const started: Program[] = [];
async function start(folder: { path: string } = folders[0]): Promise<Program> {
  const program = await startProgram({ variables: { ...variables, DATA_DIR: folder.path } });
  started.push(program);
  return program;
}

/** How many mails of this subject the operator got. */
const mailsOf = (subject: string) =>
  smtp.delivered.filter(
    ({ headers, recipients }) =>
      recipients.includes(OPERATOR) && headers.subject?.includes(subject),
  ).length;

const openMatter = () =>
  insertMatter(
    {
      kind: "webhooks-refused",
      key: `webhooks-refused:${randomUUID()}`,
      facts: { count: 3, livemodeMismatches: 0 },
      openedAt: new Date(),
      reportAfterMs: 0,
    },
    database.db,
  );

it("tells of crashes again and again once, also when it goes on crashing", async () => {
  for (let crash = 0; crash < 3; crash++) await (await start()).stop("SIGKILL");
  expect(smtp.delivered).toEqual([]);
  const fourth = await start();
  await eventually(async () => expect(mailsOf("crashes again and again")).toBe(1));
  await eventually(async () =>
    expect(fourth.output()).toMatch(/The site crashes again and again: The program has ended/),
  );
  // one that is killed before it has noted what it sent sends it again
  await mailIdle(database);
  await fourth.stop("SIGKILL");
  const last = await start();
  await eventually(async () =>
    expect(await readMetric(last.origin, "operator_matters_open", { kind: "crash-loop" })).toBe(1),
  );
  await last.stop();
  expect(mailsOf("crashes again and again")).toBe(1);
  const [{ stopped } = { stopped: 0 }] = await database.db.execute<{ stopped: number }>(
    sql`select count(*)::int as stopped from program_starts where stopped_at is not null`,
  );
  expect(stopped).toBe(1);
});

it("loses no word when it is killed while the mail server is away", async () => {
  await database.db.execute(sql`delete from operator_matters`);
  const before = mailsOf("webhooks are refused");
  isAway = true;
  await openMatter();
  const program = await start();
  await eventually(async () => {
    const rows = await database.db.execute(
      sql`select from operator_matters where is_mailed and kind = 'webhooks-refused'`,
    );
    expect(rows).toHaveLength(1);
  });
  await program.stop("SIGKILL");
  isAway = false;
  // as if the dead worker's lease and the next attempt's delay were over
  await database.db.execute(sql`delete from mail_workers`);
  await database.db.execute(sql`update mails set due_at = now() where state = 'queued'`);
  const next = await start();
  await eventually(async () => expect(mailsOf("webhooks are refused")).toBe(before + 1), {
    timeout: 60_000,
  });
  await next.stop();
  expect(mailsOf("webhooks are refused")).toBe(before + 1);
}, 90_000);
