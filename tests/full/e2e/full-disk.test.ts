import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Visitor } from "../../support/http-client";
import { freePorts } from "../../support/ports.mjs";
import { createTestDatabase } from "../../support/postgres";
import { runProgram, startProgram } from "../../support/program";
import { mountSmallDisk, type SmallDisk } from "../../support/small-disk";

const probe = mountSmallDisk(1);
probe?.remove();
const skipped = probe ? "" : " (skipped: only root may mount a file system for it)";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

function disk(megabytes: number): SmallDisk {
  const mounted = mountSmallDisk(megabytes);
  if (!mounted) throw new Error("The file system could not be mounted.");
  cleanUps.push(() => mounted.remove());
  return mounted;
}

/** Returns the log lines that tell the operator about the disk. */
const told = (output: string) =>
  output
    .split("\n")
    .filter((line) => line.includes('"summary":"disk"'))
    .map((line) => JSON.parse(line).msg as string);

describe.skipIf(!probe)(`an unwritable data directory${skipped}`, () => {
  const startOn = async (path: string, variables: Record<string, string> = {}) =>
    runProgram({ variables: { PORT: String(await freePorts(1)), DATA_DIR: path, ...variables } });

  it("stops the start with one sentence if it is read-only", async () => {
    const small = disk(1);
    small.setReadOnly(true);
    const { code, stderr } = await startOn(small.path);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `DATA_DIR ${small.path} is on a read-only file system. Make it writable for the program, or choose another DATA_DIR.\n`,
    });
  });

  it("stops the start with one sentence if it is full; in a running site mail waits, one line says so, and nothing is lost", async () => {
    const small = disk(8);
    const sentence = `The disk that holds DATA_DIR ${small.path} is full. Make room on it.`;
    const database = await createTestDatabase();
    cleanUps.push(() => database.drop());
    small.fill();
    const variables = { DATABASE_URL: database.url };
    expect(await startOn(small.path, variables)).toMatchObject({
      code: 1,
      stderr: `${sentence}\n`,
    });
    small.makeRoom();
    const program = await startProgram({ variables: { DATA_DIR: small.path, ...variables } });
    cleanUps.push(() => program.stop());
    expect(readFileSync(join(small.path, "session-secret"), "utf8").trim().length).toBe(43);
    expect(readdirSync(small.path).filter((name) => name.startsWith("session-secret."))).toEqual(
      [],
    );

    // complete mails only: a mail that is being written has another name
    const outbox = () =>
      readdirSync(join(small.path, "outbox")).filter((name) => name.endsWith(".eml")).length;
    await new Visitor(program.origin).signUp("before@example.test");
    await expect.poll(outbox).toBe(1);
    // an import of the edition also writes files, and removes them if it fails
    const preview = `${program.origin}/preview/the-hour-before-the-day`;
    await expect.poll(async () => (await fetch(preview)).status).toBe(200);

    small.fill();
    const reader = new Visitor(program.origin);
    const email = "meanwhile@example.test";
    await reader.signUp(email);
    await reader.post("/auth/forgot-password", { form: { email } });
    await expect.poll(() => told(program.output()).length).toBe(1);
    expect(told(program.output())[0]).toBe(`${sentence} Logged at most once in ten minutes.`);
    await expect
      .poll(() => program.output())
      .toContain("the outbox cannot be used; mail waits for it");
    expect(outbox()).toBe(1);

    small.makeRoom();
    await expect.poll(outbox).toBe(3);
    expect(told(program.output())).toHaveLength(1);
  });

  it("that fills up under the embedded database makes forms fail as in an outage, until there is room", async () => {
    const small = disk(180);
    const program = await startProgram({ variables: { DATA_DIR: small.path } });
    cleanUps.push(() => program.stop());
    small.fill();
    const answers = new Set<number>();
    const subscribe = async (i: number) => {
      const email = `${"long".repeat(14)}-${i}@example.test`;
      return (await new Visitor(program.origin).post("/newsletter", { json: { email } })).status;
    };
    let sent = 0;
    // the space already allocated is used up first
    await expect
      .poll(
        async () => {
          for (let i = 0; i < 20; i++) answers.add(await subscribe(sent++));
          return told(program.output()).length;
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    expect(told(program.output())[0]).toContain(
      `The disk that holds DATA_DIR ${small.path} is full`,
    );
    // the response to a form's script in an outage, shown as a toast
    expect(answers).toContain(500);
    expect([...answers].filter((status) => status !== 200 && status !== 500)).toEqual([]);

    small.makeRoom();
    await expect.poll(() => subscribe(sent++)).toBe(200);
  });
});
