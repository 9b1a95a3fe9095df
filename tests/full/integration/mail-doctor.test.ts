import { createPublicKey, generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { setEnvironment } from "~/env.server";
import { examineMail } from "~/features/checks/check-mail.server";
import { getDatabase } from "~db/client";
import { type NameServer, startNameServer } from "../../support/name-server";
import { freePorts } from "../../support/ports.mjs";
import { temporaryDirectory } from "../../support/program";
import { openTestSite, type TestSite } from "../../support/site";
import { startSmtpServer, type TestSmtpServer } from "../../support/smtp";

let site: TestSite;
let smtp: TestSmtpServer;
let names: NameServer;
const directory = temporaryDirectory();

beforeAll(async () => {
  names = await startNameServer({});
  smtp = await startSmtpServer({ login: { user: "book", password: "right" } });
  site = await openTestSite({ variables: { SMTP_URL: smtp.url } });
});
beforeEach(() => {
  names.records = {};
  return getDatabase().db.execute(sql`truncate mails, mail_workers`);
});
afterEach(() => site.restoreEnvironment());
afterAll(async () => {
  await site.close();
  await smtp.close();
  await names.close();
  directory.remove();
});

/** Returns the findings about a subject, as the command prints them. */
async function findingsOf(what: string) {
  return (await examineMail({ nameServers: [names.address] }))
    .filter((answer) => answer.what === what)
    .map(
      ({ level, found, advice }) =>
        `${level === "problem" ? "FAIL" : "ok"} ${found}${advice ? `. ${advice}` : ""}`,
    );
}

const set = (variables: Record<string, string>) =>
  setEnvironment({ MAIL_FROM: "letters@book.test", LOG_LEVEL: "silent", ...variables });

it("logs in to the mail server", async () => {
  expect(await findingsOf("server")).toEqual(["ok 127.0.0.1 accepts the login"]);
  set({ SMTP_URL: smtp.url.replace("right", "wr0ng") });
  expect(await findingsOf("server")).toEqual([
    "FAIL 535 EAUTH. The mail server rejected the login: check user and password in SMTP_URL.",
  ]);
  set({ SMTP_URL: `smtp://127.0.0.1:${await freePorts(1)}` });
  expect(await findingsOf("server")).toEqual([
    "FAIL ECONNREFUSED. The mail server did not answer as it should: check that it runs and that SMTP_URL names it.",
  ]);
  set({ SMTP_URL: "" });
  expect(await findingsOf("server")).toEqual([
    "FAIL none, mail is written to DATA_DIR/outbox. Set SMTP_URL and MAIL_FROM.",
  ]);
});

it("looks up the records by which receivers recognize the sender", async () => {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keyFile = join(directory.path, "dkim.pem");
  mkdirSync(directory.path, { recursive: true });
  writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
  const publicKey = createPublicKey(privateKey.export({ type: "pkcs8", format: "pem" }))
    .export({ type: "spki", format: "der" })
    .toString("base64");
  set({
    SMTP_URL: smtp.url,
    MAIL_BOUNCE_ADDRESS: "bounces@mail.book.test",
    DKIM_SELECTOR: "may",
    DKIM_KEY_FILE: keyFile,
  });
  names.records = {
    "TXT mail.book.test": ["another", "v=spf1 include:relay.test -all"],
    "TXT _dmarc.book.test": ["v=DMARC1; p=none"],
    "TXT may._domainkey.book.test": [`v=DKIM1; k=rsa; p=${publicKey}`],
  };
  expect(await findingsOf("SPF")).toEqual(["ok at mail.book.test"]);
  expect(await findingsOf("DMARC")).toEqual(["ok at _dmarc.book.test"]);
  expect(await findingsOf("DKIM")).toEqual(["ok at may._domainkey.book.test"]);

  names.records = {};
  const [missing] = await findingsOf("DMARC");
  expect(missing).toMatch(/^FAIL none at _dmarc\.book\.test\. Add a DMARC record/);
  expect(await findingsOf("SPF")).toEqual([
    "FAIL none at mail.book.test. Add the SPF record that your mail provider names.",
  ]);
  names.records = { "TXT may._domainkey.book.test": ["v=DKIM1; k=rsa; p=AAAA"] };
  const [other] = await findingsOf("DKIM");
  expect(other).toContain("FAIL another record at may._domainkey.book.test");
  expect(other).toContain(`p=${publicKey}`);
  names.records = { "TXT mail.book.test": ["v=spf1 -all", "v=spf1 ~all"] };
  expect(await findingsOf("SPF")).toEqual([
    "FAIL 2 records at mail.book.test. Merge them into one: receivers that find several follow none.",
  ]);
  names.isSilent = true;
  expect(await findingsOf("SPF")).toEqual([
    "ok not looked up (ETIMEOUT). Check this machine's name servers (/etc/resolv.conf), and run 'doctor' again.",
  ]);
  names.isSilent = false;
});

it("asks for a reverse name that leads back, where the site delivers by itself", async () => {
  const variables = { SMTP_URL: smtp.url, PUBLIC_URL: "https://book.test", TRUST_PROXY: "1" };
  set(variables);
  names.records = { "A book.test": ["192.0.2.7"] };
  const missing =
    /^ok no name of 192\.0\.2\.7 that leads back was found\. If mail leaves from this/;
  expect(await findingsOf("PTR")).toEqual([expect.stringMatching(missing)]);
  names.records["PTR 7.2.0.192.in-addr.arpa"] = ["mail.book.test"];
  names.records["A mail.book.test"] = ["192.0.2.8"];
  expect(await findingsOf("PTR")).toEqual([expect.stringMatching(missing)]);
  names.records["A mail.book.test"] = ["192.0.2.7"];
  expect(await findingsOf("PTR")).toEqual(["ok 192.0.2.7 is mail.book.test"]);
  set({ ...variables, SMTP_URL: "smtp://relay.test:1" });
  expect(await findingsOf("PTR")).toEqual([]);
});

it.each([
  [
    1024,
    [
      "ok 1024 bits. Make one of 2048 bits, and publish it with a selector of its own: receivers trust shorter ones less.",
    ],
  ],
  [2048, []],
])(
  "names a DKIM key of %i bits if that is too short, and the sender in Feedback-ID",
  async (modulusLength, found) => {
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength });
    const keyFile = join(directory.path, `dkim-${modulusLength}.pem`);
    mkdirSync(directory.path, { recursive: true });
    writeFileSync(keyFile, privateKey.export({ type: "pkcs8", format: "pem" }));
    set({ SMTP_URL: smtp.url });
    expect(await findingsOf("Feedback-ID")).toEqual([]);
    set({ SMTP_URL: smtp.url, DKIM_SELECTOR: "may", DKIM_KEY_FILE: keyFile });
    expect(await findingsOf("DKIM key")).toEqual(found);
    expect(await findingsOf("Feedback-ID")).toEqual([
      "ok signed, in every letter; its sender is localhost",
    ]);
  },
);

it("says whether reports of bounces and complaints are taken", async () => {
  const taken = ["ok of bounces and complaints are accepted at /webhooks/mail"];
  set({ SMTP_URL: smtp.url });
  expect((await findingsOf("reports"))[0]).toMatch(/^ok none of .*\. Set SES_TOPIC_ARN /);
  set({ SMTP_URL: smtp.url, SES_TOPIC_ARN: "arn:aws-cn:sns:cn-north-1:123456789012:mail" });
  expect(await findingsOf("reports")).toEqual(taken);
  set({ SMTP_URL: smtp.url, MAIL_REPORT_SECRET: "0123456789abcdef0123456789ABCDEF" });
  expect(await findingsOf("reports")).toEqual(taken);
});

it("finds the policy of a parent domain, and accepts a return address of the mail provider", async () => {
  set({ SMTP_URL: smtp.url, MAIL_FROM: "letters@news.shop.book.test" });
  names.records = { "TXT _dmarc.book.test": ["v=DMARC1; p=none"] };
  expect(await findingsOf("DMARC")).toEqual(["ok at _dmarc.book.test"]);
  expect(await findingsOf("SPF")).toEqual([
    expect.stringMatching(
      /^ok none at news\.shop\.book\.test\. Add the SPF record .* none is needed if/,
    ),
  ]);
  // a top-level domain has no policy for names below it
  names.records = { "TXT _dmarc.test": ["v=DMARC1; p=none"] };
  expect((await findingsOf("DMARC"))[0]).toMatch(/^FAIL none at _dmarc\.news\.shop\./);
});

it("reports whether a running site sends mail, and whether it can", async () => {
  expect(await findingsOf("site")).toEqual([
    "FAIL 0 running, 0 mails being sent. Start the site, which sends the mail.",
  ]);
  await getDatabase().db.execute(sql`
    insert into mail_workers (id, heartbeat_at) values
      (gen_random_uuid(), now()), (gen_random_uuid(), now() - interval '61 seconds')`);
  expect(await findingsOf("site")).toEqual(["ok 1 running, 0 mails being sent"]);
  expect(await findingsOf("sending")).toEqual([]);
  await getDatabase().db.execute(
    sql`update mail_workers set circuit_open_since = now(), circuit_reason = 'ECONNREFUSED'`,
  );
  expect((await findingsOf("sending"))[0]).toMatch(/^FAIL stopped by the site.*ECONNREFUSED/);
});

it("finds stuck mail", async () => {
  const queue = (minutes: number) =>
    getDatabase().db.execute(sql`
      insert into mails (kind, priority, recipient, address_hash, due_at, expires_at)
      values ('password-reset', 0, 'a@example.test', '', now() - make_interval(mins => ${minutes}), now())`);
  await queue(-5);
  await queue(14);
  expect((await findingsOf("queue"))[0]).toMatch(/^ok 2 transactional mails, due for up to 14 min/);
  await queue(16);
  expect((await findingsOf("queue"))[0]).toMatch(
    /^FAIL 3 transactional mails, due for up to 16 min/,
  );
});

it("counts last week's mail by result code, without an address", async () => {
  await getDatabase().db.execute(sql`
    insert into mails (kind, priority, address_hash, state, last_reply, times_in_doubt, expires_at, finished_at)
    select 'password-reset', 0, '', state, reply, doubts, now(), now() - make_interval(days => days)
    from (values
      ('sent', null, 0, 0), ('sent', '451 RCPT TO', 1, 6), ('sent', null, 0, 8),
      ('failed', '550 5.7.1 DATA', 0, 1)
    ) mails (state, reply, doubts, days)`);
  expect(await findingsOf("password-reset, 7 days")).toEqual([
    "ok 2 sent of which 1 may have arrived twice",
    "FAIL 1 failed by 550 5.7.1 DATA. The mail server's log says why. Look for these codes.",
  ]);
});
