import { sql } from "drizzle-orm";
import { afterAll, expect, it, vi } from "vitest";
import { embeddedDatabase, openEmbeddedDatabase } from "../../support/embedded-database";
import { send } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";

const ROUNDS = 4;
const WRITERS = 6;
/** Number of acknowledged writes after which the program is killed, while others are in progress. */
const WRITES_BEFORE_KILL = 15;

const data = temporaryDirectory();
let program: Program | undefined;

afterAll(async () => {
  await program?.stop();
  data.remove();
});

it(`keeps every acknowledged write through ${ROUNDS} kills`, {
  timeout: 300_000,
}, async () => {
  const port = String(await freePorts(2));
  const start = () => startProgram({ variables: { PORT: port, DATA_DIR: data.path } });
  const answered = { subscribers: [] as string[], users: [] as string[] };

  for (let round = 0; round < ROUNDS; round++) {
    program = await start();
    const { origin } = program;
    let isAlive = true;
    const count = { subscribers: 0, users: 0 };

    const write = async (table: keyof typeof answered, path: string, writer: number) => {
      for (let i = 0; isAlive; i++) {
        const email = `round-${round}-${table}-${writer}-${i}@example.test`;
        const json = { email, password: "a long walk" };
        const status = await send(origin + path, { json }).then(
          (answer) => answer.status,
          // killed before the response, so nothing was acknowledged
          () => null,
        );
        if (status !== 200) continue;
        answered[table].push(email);
        count[table] += 1;
      }
    };
    const writers = [
      ...Array.from({ length: WRITERS }, (_, writer) =>
        write("subscribers", "/newsletter", writer),
      ),
      write("users", "/auth/signup", 0),
    ];
    // an account takes longer than an address, since its password is hashed
    await vi.waitUntil(
      () => count.users > 0 && count.subscribers + count.users >= WRITES_BEFORE_KILL,
      {
        timeout: 60_000,
        interval: 5,
      },
    );
    // every other round kills the database server too, as in a power cut
    const { pid } = await embeddedDatabase(data.path);
    const killed = program.stop("SIGKILL");
    if (round % 2 === 1) process.kill(pid, "SIGKILL");
    expect(await killed).toBe("SIGKILL");
    isAlive = false;
    await Promise.all(writers);
  }

  program = await start();
  const database = await openEmbeddedDatabase(data.path);
  for (const [table, emails] of Object.entries(answered)) {
    expect(emails.length).toBeGreaterThanOrEqual(ROUNDS);
    const rows = await database.db.execute<{ email: string }>(
      sql`select email from ${sql.identifier(table)}`,
    );
    const kept = new Set(rows.map(({ email }) => email));
    expect(emails.filter((email) => !kept.has(email))).toEqual([]);
  }
  await database.close();
  expect(answered.subscribers.length + answered.users.length).toBeGreaterThanOrEqual(
    ROUNDS * WRITES_BEFORE_KILL,
  );
});
