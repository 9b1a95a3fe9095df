import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openConnection, send as request } from "../../support/http-client";
import { addWalkers, issueFile } from "../../support/newsletter";
import { runProgram } from "../../support/program";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp";

const MAIL_FROM = "Maren <maren@book.test>";

let smtp: TestSmtpServer;
let site: ProgramSite;

beforeAll(async () => {
  smtp = await startSmtpServer();
  site = await startProgramSite({ SMTP_URL: smtp.url, MAIL_FROM });
});
afterAll(async () => {
  await site?.close();
  await smtp?.close();
});

const newsletter = (...command: string[]) =>
  runProgram({
    command: ["newsletter", ...command],
    variables: {
      DATABASE_URL: site.databaseUrl,
      DATA_DIR: site.dataDir,
      PUBLIC_URL: site.origin,
      MAIL_FROM,
    },
  });

/** The status of an answer to a request line that no HTTP client would send. */
async function statusOf(target: string): Promise<number> {
  const connection = await openConnection(site.origin);
  connection.write(`GET ${target} HTTP/1.1\r\nHost: ${new URL(site.origin).host}\r\n\r\n`);
  const answer = await connection.until(/^HTTP\/1\.1 \d{3} /);
  connection.destroy();
  return Number(answer.slice(9, 12));
}

describe("an address of an issue", () => {
  it.each([
    "%00",
    "%",
    "%2e%2e%2fpremium",
    "%ED%A0%80",
    "%FF%FE",
    "a%0d%0aSet-Cookie:%20a=b",
    "..;/premium",
    "' or 1=1--",
    "<script>",
    "a.data",
    ".data",
    "a/b/c",
    "__proto__",
    "constructor",
    "images/",
    "images/..%2f..%2fetc%2fpasswd",
    `images/${"a".repeat(22)}.png`,
    "%F0%9F%92%A9",
    "a".repeat(8_000),
    "a".repeat(64 * 1024),
    "?_data=routes%2Fnewsletter_.%24slug",
  ])("that is rubbish is refused: %#", async (slug) => {
    expect(await statusOf(`/newsletter/${slug.replaceAll(" ", "%20")}`)).toSatisfy(
      // 202 is how Remix tells a page with JavaScript of a redirect
      (status: number) => [202, 302, 400, 404, 405, 414, 431].includes(status),
    );
  });
});

describe("an unsubscribe link", () => {
  it.each([
    "",
    "a",
    "A".repeat(21),
    "A".repeat(23),
    `${"A".repeat(21)}\0`,
    `${"A".repeat(22)}\n`,
    "' or 1=1--",
    "%",
    `${"0".repeat(8)}-0000-0000-0000-${"0".repeat(12)}.${"A".repeat(43)}`,
    ".".repeat(60_000),
    "A".repeat(64 * 1024),
    "A".repeat(200 * 1024),
  ])("that is made up removes nobody, and no request fails: %#", async (token) => {
    await site.database.db.execute(sql`truncate subscribers`);
    await addWalkers(3, site.database);
    const address = `${site.origin}/newsletter/unsubscribe`;
    const forms: Record<string, string>[] = [{ token }, { token, "List-Unsubscribe": "One-Click" }];
    for (const form of forms) {
      const answer = await request(address, { form });
      expect([303, 400, 413]).toContain(answer.status);
    }
    const opened = await request(`${address}?token=${encodeURIComponent(token).slice(0, 10_000)}`);
    expect([303, 414]).toContain(opened.status);
    expect(await site.database.db.execute(sql`select from subscribers`)).toHaveLength(3);
  });

  it("that is guessed looks like any other, and removes nobody", async () => {
    await site.database.db.execute(sql`truncate subscribers`);
    await addWalkers(3, site.database);
    const guesses = Array.from({ length: 200 }, () => randomBytes(16).toString("base64url"));
    const answers = await Promise.all(
      guesses.map((token) =>
        request(`${site.origin}/newsletter/unsubscribe?token=${token}`, {
          form: { "List-Unsubscribe": "One-Click" },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await site.database.db.execute(sql`select from subscribers`)).toHaveLength(3);
  });
});

describe("an issue that two people send at once", () => {
  const TEXT = "---\nsubject: Twice\nslug: twice\npreview: At once.\n---\n\nDear walker\n";

  it("is one issue, which everybody gets once, also when it is paused and sent again", async () => {
    await site.database.db.execute(sql`truncate mails, campaigns, subscribers cascade`);
    await addWalkers(40, site.database);
    const issue = issueFile(TEXT);
    const outcomes = await Promise.all([
      newsletter("send", issue.file, "--yes", "--rate", "20"),
      newsletter("send", issue.file, "--yes", "--rate", "20"),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0]);
    const said = outcomes.map(({ stdout }) => /(\d+) mails are queued/.exec(stdout)?.[1]);
    expect(said.toSorted()).toEqual(["0", "40"]);

    await newsletter("pause", "twice");
    const paused = await newsletter("send", issue.file, "--yes");
    issue.remove();
    expect(paused.stdout).toContain("0 mails are queued to those who have not had it.");
    expect(paused.stderr).toContain("It is paused; 'newsletter resume twice' sends them.");
    await newsletter("resume", "twice");
    await vi.waitUntil(
      async () =>
        (await site.database.db.execute(sql`select from mails where finished_at is null`))
          .length === 0,
      { timeout: 60_000 },
    );
    const recipients = smtp.delivered.flatMap(({ recipients }) => recipients);
    expect(recipients).toHaveLength(40);
    expect(new Set(recipients).size).toBe(40);
  });
});
