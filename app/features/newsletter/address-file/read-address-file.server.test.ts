import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OperatorError } from "~db/operator-error";
import { FORMATS, writeHostileList } from "../../../../tests/support/hostile-list";
import { type AddressBatch, openAddressFile } from "./read-address-file.server";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "golden-path-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function readFile(path: string): Promise<AddressBatch[]> {
  const batches: AddressBatch[] = [];
  for await (const batch of (await openAddressFile(path)).batches) batches.push(batch);
  return batches;
}

/** Returns the addresses in a file with this content, and the refused records. */
async function read(content: string | Buffer) {
  const path = join(folder, "list.csv");
  writeFileSync(path, content);
  const batches = await readFile(path);
  return {
    emails: batches.flatMap(({ addresses }) => addresses.map(({ email }) => email)),
    refused: batches.flatMap(({ refused }) => refused),
  };
}

const emailsIn = async (content: string | Buffer) => (await read(content)).emails;

describe("a list of addresses", () => {
  it.each([
    ["one address per line", "a@example.test\nb@example.test\n"],
    ["a table", "Name,E-Mail\nA,a@example.test\nB,b@example.test"],
    ["a table without a header", "A;a@example.test\nB;b@example.test"],
    [
      "a table with a hint for spreadsheets",
      "sep=;\nName;Email\nA;a@example.test\nB;b@example.test",
    ],
    [
      "a quoted table",
      '"email","name"\r\n"a@example.test","A, a"\r\n"b@example.test","B\r\nb"\r\n',
    ],
    ["quoted cells after spaces", 'name, email\n"A, a", a@example.test\n"B" , "b@example.test"'],
    ["addresses in another case", "EMAIL\n A@Example.TEST \nB@EXAMPLE.TEST"],
    ["our own export", '\ufeff"email"\n"a@example.test"\n"b@example.test"\n'],
  ])("may be %s", async (_case, content) => {
    expect(await read(content)).toEqual({
      emails: ["a@example.test", "b@example.test"],
      refused: [],
    });
  });

  it("may have international domains, and invisible characters around addresses", async () => {
    const list = "email\n\u200ba@münchen.example\u00a0\nB@XN--MNCHEN-3YA.example\nö@example.test\n";
    expect(await read(list)).toEqual({
      emails: ["a@xn--mnchen-3ya.example", "b@xn--mnchen-3ya.example"],
      refused: [{ line: 4, value: "ö@example.test", reason: "not an email address" }],
    });
  });

  it("may be UTF-16 without a byte order mark", async () => {
    const utf16 = Buffer.from("email\na@example.test\n", "utf16le");
    expect(await emailsIn(utf16)).toEqual(["a@example.test"]);
    expect(await emailsIn(Buffer.from(utf16).swap16())).toEqual(["a@example.test"]);
  });

  it.each(["utf-8", "windows-1252"] as const)("is recognized as %s", async (encoding) => {
    const path = join(folder, "accented.csv");
    const text = "Prénom;Email\nZoé;Zoé\n";
    writeFileSync(path, text, encoding === "utf-8" ? "utf8" : "latin1");
    const file = await openAddressFile(path);
    expect(file.encoding).toBe(encoding);
    expect((await readFile(path)).flatMap(({ refused }) => refused)).toMatchObject([
      { value: "Zoé" },
    ]);
  });

  it("unescapes addresses that an export escaped as formulas", async () => {
    expect(await emailsIn("email\n'+a@example.test\n'=b@example.test\n''-c@example.test")).toEqual([
      "+a@example.test",
      "=b@example.test",
      "'-c@example.test",
    ]);
  });

  it("reports the refused records with reasons", async () => {
    const { emails, refused } = await read(
      'email,name\na@example.test,A\nnobody,B\n,C\nb@example.test,"D\n"E,x\n" ",F\n',
    );
    expect(emails).toEqual(["a@example.test"]);
    expect(refused).toEqual([
      { line: 3, value: "nobody", reason: "not an email address" },
      { line: 4, value: ",C", reason: "no email address" },
      { line: 5, value: 'b@example.test,"D', reason: "a quotation mark is not closed" },
      { line: 6, value: '"E,x', reason: "a quotation mark is not closed" },
      { line: 7, value: '" ",F', reason: "no email address" },
    ]);
  });

  it("takes column names from its first row, even with an unclosed quotation mark", async () => {
    expect(await emailsIn('"Email\na@example.test\n')).toEqual(["a@example.test"]);
  });

  it("is read in batches of 1,000 records or 256 KiB", async () => {
    const sizesOf = async (records: string[]) => {
      const path = join(folder, "long.csv");
      writeFileSync(path, records.join("\n"));
      return (await readFile(path)).map(({ addresses }) => addresses.length);
    };
    const records = Array.from({ length: 2_500 }, (_, n) => `reader-${n}@example.test,`);
    expect(await sizesOf(records)).toEqual([1_000, 1_000, 500]);
    const kibibytes = records.slice(0, 600).map((record) => record.padEnd(1_024, "x"));
    expect(await sizesOf(kibibytes)).toEqual([256, 256, 88]);
  });

  it.each([
    ["nothing", "", "is empty."],
    ["blank lines", "\n\n  \n", "is empty."],
    [
      "another table",
      "Name,City\nA,B",
      "has no column of email addresses: name it 'email'. Found 'Name', 'City'.",
    ],
    [
      "a terminal's commands",
      "\u001b[2JName\u0007,City\n",
      "has no column of email addresses: name it 'email'. Found '\ufffd[2JName\ufffd', 'City'.",
    ],
    [
      "two columns of addresses",
      "Email,E-Mail\n",
      "has several columns of email addresses: leave one, or name one 'email'. Found 'Email', 'E-Mail'.",
    ],
    [
      "a workbook",
      Buffer.from("PK\x03\x04\x14\0"),
      "is a workbook or an archive: save the list as CSV (UTF-8).",
    ],
    [
      "a line without end",
      "x".repeat(70_000),
      "is not a list of addresses: its first line is longer than 65536 characters.",
    ],
    [
      "a table of 30 columns",
      Array.from({ length: 30 }, (_, n) => `c${n}`).join(),
      `has no column of email addresses: name it 'email'. Found ${Array.from({ length: 20 }, (_, n) => `'c${n}'`).join(", ")} and 10 more.`,
    ],
  ])("is refused as a whole if it is not one: %s", async (_what, content, message) => {
    const path = join(folder, "list.csv");
    await expect(read(content)).rejects.toThrow(new OperatorError(`${path} ${message}`));
  });

  it("is refused if it is missing or not a file", async () => {
    await expect(readFile(join(folder, "missing.csv"))).rejects.toThrow(/^There is no file/);
    mkdirSync(join(folder, "folder.csv"));
    await expect(readFile(join(folder, "folder.csv"))).rejects.toThrow("is not a file.");
  });

  // root may read every file
  it.skipIf(process.getuid?.() === 0)("is refused if the user may not read it", async () => {
    const path = join(folder, "secret.csv");
    writeFileSync(path, "a@example.test\n", { mode: 0 });
    await expect(readFile(path)).rejects.toThrow(
      new OperatorError(`${path} may not be read by this user.`),
    );
  });
});

describe("a hostile list", () => {
  it.each(Object.entries(FORMATS))("in %s yields only its valid addresses", async (_, format) => {
    const path = join(folder, "hostile.csv");
    const seed = Math.floor(Math.random() * 2 ** 31);
    const list = await writeHostileList(path, { length: 1_500_000, seed, format });
    const batches = await readFile(path);
    const emails = batches.flatMap(({ addresses }) => addresses.map(({ email }) => email));
    const refused = batches
      .flatMap((batch) => batch.refused)
      .map(({ line, reason }) => [line, reason] as const);
    const context = `seed ${seed}`;
    expect(new Map(refused.toSorted(([a], [b]) => a - b)), context).toEqual(list.refused);
    expect(refused.length, context).toBe(list.refused.size);
    expect(emails.length, context).toBe(list.listed);
    expect(new Set(emails), context).toEqual(
      new Set(Array.from({ length: list.distinct }, (_, n) => `reader-${n}@example.test`)),
    );
    expect(batches.at(-1)?.bytesRead, context).toBe(list.size);
    expect(new Set(refused.map(([, reason]) => reason)).size, context).toBe(4);
    expect(list.distinct, context).toBeGreaterThan(500);
  });
});
