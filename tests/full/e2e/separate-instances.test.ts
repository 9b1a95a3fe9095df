import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually";
import { Visitor } from "../../support/http-client";
import { editionText, writeEdition } from "../../support/library";
import { linkIn } from "../../support/mail";
import { plain } from "../../support/pictures";
import { createTestDatabase, type TestDatabase } from "../../support/postgres";
import { type Program, startProgram, temporaryDirectory } from "../../support/program";
import { startSmtpServer } from "../../support/smtp";

/** A database shared by machines that share a secret, too, but no disk. */
let testDatabase: TestDatabase;
let folder: string;
let here: Program;
let there: Program;
const smtp = await startSmtpServer();
const folders = [temporaryDirectory(), temporaryDirectory()];

const contentOf = (machine: "here" | "there") => join(folder, machine);

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), "golden-path-machines-"));
  const files = { "chapters/01-gates.md": chapter("Gates", "There is a gate.") };
  for (const machine of ["here", "there"] as const) writeEdition(contentOf(machine), files);
  const variables = (machine: "here" | "there", index: number) => ({
    DATABASE_URL: testDatabase.url,
    SESSION_SECRET: "a secret that the machines of these tests share",
    DATA_DIR: folders[index]?.path ?? "",
    CONTENT_DIR: contentOf(machine),
    PUBLIC_URL: "http://localhost:8000",
    SMTP_URL: smtp.url,
    MAIL_FROM: "The Golden Path <letters@book.test>",
    LOG_LEVEL: "warn",
  });
  [here, there] = await Promise.all([
    startProgram({ variables: variables("here", 0) }),
    startProgram({ variables: variables("there", 1) }),
  ]);
});
afterAll(async () => {
  await Promise.all([here?.stop(), there?.stop()]);
  await smtp.close();
  await testDatabase?.drop();
  for (const { remove } of folders) remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const at = (program: Program, cookie = "") => {
  const visitor = new Visitor(program.origin, { Host: "localhost:8000" }, "http://localhost:8000");
  if (cookie) visitor.cookie = cookie;
  return visitor;
};

it("a picture uploaded to one machine is served by the other", async () => {
  const member = at(here);
  await member.signUp("pictured@example.test");
  const form = new FormData();
  form.append("intent", "upload");
  form.append(
    "picture",
    new Blob([new Uint8Array(await plain(300, 300).png().toBuffer())]),
    "me.png",
  );
  const request = new Request("http://localhost", { method: "POST", body: form });
  const answer = await member.post("/account/picture", {
    body: Buffer.from(await request.arrayBuffer()),
    headers: { "Content-Type": request.headers.get("Content-Type") ?? "" },
  });
  expect(answer.status).toBe(303);
  const page = await at(there, member.cookie).get("/account");
  const [address = ""] = /\/avatars\/[\w-]+\.\w+/.exec(page.text) ?? [];
  const picture = await at(there).get(address);
  expect(picture.status).toBe(200);
  expect(picture.headers["content-type"]).toMatch(/^image\//);
});

it("a link in a mail queued by one machine works at the other, once", async () => {
  const email = "forgetful@example.test";
  await at(here).signUp(email);
  await at(here).post("/auth/forgot-password", { form: { email } });
  const mail = await eventually(() => {
    const found = smtp.delivered.find(
      ({ recipients, headers }) =>
        recipients[0] === email && headers.subject === "Choose a new password",
    );
    if (!found) throw new Error("The mail has not arrived.");
    return found;
  });
  const link = linkIn(mail, "/auth/reset-password");
  const form = await at(there).get(link.pathname + link.search);
  expect(form.status).toBe(200);
  expect(form.text).toContain(email);
  const sent = smtp.delivered.filter(({ recipients }) => recipients[0] === email);
  // both workers share the queue: with the welcome, and this mail
  expect(new Set(sent.map(({ headers }) => headers.subject)).size).toBe(sent.length);
});

it("each machine serves an edition once it has it, with its images", {
  timeout: 180_000,
}, async () => {
  const files = {
    "chapters/01-gates.md": chapter("Gates", "There is a new gate.\n\n![The gate](gate.png)"),
    "chapters/gate.png": await plain(40, 30).png().toBuffer(),
  };
  // a folder is checked less often where checking is slow, as on a busy machine
  const PATIENT = { timeout: 60_000 };
  const read = async (program: Program) => (await at(program).get("/preview/gates")).text;
  await eventually(async () => {
    for (const program of [here, there]) expect(await read(program)).toContain("There is a gate.");
  }, PATIENT);
  writeEdition(contentOf("here"), files);
  await eventually(async () => expect(await read(here)).toContain("There is a new gate."), PATIENT);
  // until then, the other machine serves all of the former edition
  expect(await read(there)).toContain("There is a gate.");
  writeEdition(contentOf("there"), files);
  await eventually(
    async () => expect(await read(there)).toContain("There is a new gate."),
    PATIENT,
  );
  const [image = ""] = /\/preview\/media\/[\w-]+\.png/.exec(await read(there)) ?? [];
  for (const program of [here, there]) expect((await at(program).get(image)).status).toBe(200);
});

function chapter(title: string, body: string): string {
  return editionText({ title, summary: "How to begin.", order: 1, public: true }, body);
}
