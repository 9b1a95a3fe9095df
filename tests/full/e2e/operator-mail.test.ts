import { sql } from "drizzle-orm";
import { expect, it, onTestFinished } from "vitest";
import { eventually } from "../../support/eventually";
import { mailIdle } from "../../support/mail";
import { startProgram } from "../../support/program";
import { METRICS_TOKEN, readMetric, startProgramSite } from "../../support/program-site";
import { startSmtpServer } from "../../support/smtp";
import { countRows } from "../../support/tables";

const OPERATOR = "hand@operator.test";

it("repeated crashes are reported once, even when they continue", async () => {
  const smtp = await startSmtpServer();
  onTestFinished(() => smtp.close());
  const variables = {
    SMTP_URL: smtp.url,
    MAIL_FROM: "letters@book.test",
    OPERATOR_EMAIL: OPERATOR,
    LOG_LEVEL: "info",
  };
  const site = await startProgramSite(variables);
  onTestFinished(() => site.close());
  const { db } = site.database;
  const start = () => {
    const { databaseUrl: DATABASE_URL, dataDir: DATA_DIR } = site;
    return startProgram({ variables: { ...variables, DATABASE_URL, DATA_DIR, METRICS_TOKEN } });
  };
  const told = () =>
    smtp.delivered.filter(
      ({ headers, recipients }) =>
        recipients.includes(OPERATOR) && headers.subject?.includes("keeps crashing"),
    ).length;

  // a start is recorded once the site is ready
  await eventually(async () => expect(await countRows(site.database, "program_starts")).toBe(1));
  await site.program.stop("SIGKILL");
  expect(smtp.delivered).toEqual([]);
  // and twice before
  await db.execute(sql`
    insert into program_starts (id, place, started_at)
    select gen_random_uuid(), place, started_at - n * interval '1 minute'
    from program_starts, generate_series(1, 2) n`);
  const fourth = await start();
  await eventually(async () => expect(told()).toBe(1));
  await eventually(async () =>
    expect(fourth.output()).toMatch(/The site keeps crashing: The program has crashed/),
  );
  // a program killed before it has recorded what it sent sends it again
  await mailIdle(site.database);
  await fourth.stop("SIGKILL");
  const last = await start();
  await eventually(async () =>
    expect(await readMetric(last.origin, "operator_matters_open", { kind: "crash-loop" })).toBe(1),
  );
  await last.stop();
  expect(told()).toBe(1);
  const stopped = await db.execute(sql`select from program_starts where stopped_at is not null`);
  expect(stopped).toHaveLength(1);
});
