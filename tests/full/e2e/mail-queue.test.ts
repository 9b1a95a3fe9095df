import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, it, type TestContext } from "vitest";
import { type Database, openDatabase } from "~db/client";
import { insertUser } from "~db/queries/users";
import { eventually } from "../../support/eventually";
import { send } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { type SmtpSink, startSmtpSink } from "../../support/smtp-sink";

const MAIL_FROM = "The Golden Path <letters@book.test>";

const UNUSED_PORT = await freePorts(1);

let sink: SmtpSink;
beforeAll(async () => {
  sink = await startSmtpSink();
});
afterAll(() => sink.stop());

/** The data of a site, shared by programs and outliving them. */
class Site {
  readonly #testDatabase: TestDatabase;
  readonly #data = temporaryDirectory();
  readonly #database: Database;
  readonly #programs: Program[] = [];

  /** A site whose only account has this address; removed when the test ends. */
  static async withAccount(email: string, { onTestFinished }: TestContext): Promise<Site> {
    const site = new Site(await createTestDatabase());
    onTestFinished(() => site.#remove());
    await site.addAccount(email);
    return site;
  }

  private constructor(testDatabase: TestDatabase) {
    this.#testDatabase = testDatabase;
    this.#database = openDatabase(testDatabase.url);
  }

  async start(SMTP_URL = sink.url): Promise<Program> {
    const DATABASE_URL = this.#testDatabase.url;
    const variables = { DATABASE_URL, DATA_DIR: this.#data.path, MAIL_FROM, SMTP_URL };
    const program = await startProgram({ variables });
    this.#programs.push(program);
    return program;
  }

  async addAccount(email: string): Promise<void> {
    await insertUser({ email, passwordHash: "not a hash" }, this.#database.db);
  }

  /** The state of the only mail to this address. */
  async stateOf(email: string) {
    const [row] = await this.#database.db.execute<{
      state: string;
      doubts: number;
    }>(sql`select state, times_in_doubt as doubts from mails
           where address_hash = sha256(convert_to(${email}, 'UTF8'))`);
    return row;
  }

  async #remove(): Promise<void> {
    for (const program of this.#programs) await program.stop();
    await this.#database.close();
    await this.#testDatabase.drop();
    this.#data.remove();
  }
}

/** Submits the form; resolves when the response has arrived. */
async function forgetPassword({ origin }: Program, email: string): Promise<void> {
  const answer = await send(`${origin}/auth/forgot-password`, { form: { email } });
  expect(answer.headers.location).toBe("/auth/forgot-password?sent");
}

const mailsTo = async (email: string, server = sink) =>
  (await server.deliveries()).filter(({ address }) => address === email);

const isSent = (site: Site, email: string) =>
  eventually(async () => expect((await site.stateOf(email))?.state).toBe("sent"));

// concurrent, since they mostly wait for the take-over of a dead program's mails
it.concurrent("sends the mail of a program killed right after its response, and finishes sending before it stops", async (test) => {
  const email = "forgetful@example.test";
  const site = await Site.withAccount(email, test);
  const before = await site.start(`smtp://127.0.0.1:${UNUSED_PORT}`);
  await forgetPassword(before, email);
  expect(await before.stop("SIGKILL")).toBe("SIGKILL");
  // its own port, to see that this mail reached it
  const sink = await startSmtpSink();
  test.onTestFinished(() => sink.stop());
  await sink.script({ [email]: [{ wait: 1_000 }] });
  const program = await site.start(sink.url);
  await eventually(async () => expect(await sink.concurrency()).toBe(1));
  expect(await program.stop("SIGTERM")).toBe(0);
  expect(await site.stateOf(email)).toMatchObject({ state: "sent" });
  expect(await mailsTo(email, sink)).toHaveLength(1);
});

it.concurrent("resends a killed program's mail from another program, with the same Message-ID", async (test) => {
  const email = "in-doubt@example.test";
  const site = await Site.withAccount(email, test);
  await sink.script({ [email]: [{ hang: true }] });
  const killed = await site.start();
  await forgetPassword(killed, email);
  await eventually(async () => expect(await mailsTo(email)).toHaveLength(1));
  const other = await site.start();
  await killed.stop("SIGKILL");

  await isSent(site, email);
  expect(await site.stateOf(email)).toMatchObject({ doubts: 1 });
  const [first, second, ...further] = await mailsTo(email);
  expect(second?.messageId).toBe(first?.messageId);
  expect(further).toEqual([]);
  expect(other.output()).toContain("some may arrive twice");
});

it.concurrent("takes over the mail of a suspended program, which continues when resumed", async (test) => {
  const email = "suspended@example.test";
  const site = await Site.withAccount(email, test);
  // a separate server, to see that this mail has reached it
  const sink = await startSmtpSink();
  test.onTestFinished(() => sink.stop());
  // received completely, and answered only when the program is suspended
  await sink.script({ [email]: [{ wait: 10_000 }] });
  const suspended = await site.start(sink.url);
  await forgetPassword(suspended, email);
  await eventually(async () => expect(await sink.concurrency()).toBe(1));
  process.kill(suspended.pid, "SIGSTOP");
  const other = await site.start(sink.url);
  await isSent(site, email);
  await other.stop();
  process.kill(suspended.pid, "SIGCONT");

  const next = "after-suspension@example.test";
  await site.addAccount(next);
  await forgetPassword(suspended, next);
  await eventually(async () => expect(await mailsTo(next, sink)).toHaveLength(1));
  expect(await site.stateOf(email)).toMatchObject({ state: "sent", doubts: 1 });
  const copies = await mailsTo(email, sink);
  expect(copies).toHaveLength(2);
  expect(new Set(copies.map(({ messageId }) => messageId)).size).toBe(1);
  expect(suspended.output()).toContain("stops sending until it can");
});
