import { createHmac, generateKeyPairSync, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { action } from "~/routes/webhooks.mail/route";
import { addressHash } from "~db/address-hash";
import { getDatabase } from "~db/client";
import { pauseCampaignsWithComplaints } from "~db/queries/complaints";
import { readHealthFacts } from "~db/queries/operator-facts";
import { everythingIn, type LogLine, watchLog } from "../support/log";
import { addWalkers } from "../support/newsletter";
import { call, ORIGIN } from "../support/routes";
import { testSite } from "../support/site";
import { type FakeSns, type Fields, HOST, startFakeSns, TOPIC } from "../support/sns";

const SECRET = "0123456789abcdef0123456789ABCDEF";
const site = testSite({ variables: { SES_TOPIC_ARN: TOPIC, MAIL_REPORT_SECRET: SECRET } });
const db = () => getDatabase().db;
const now = () => new Date().toISOString();

let sns: FakeSns;
let lines: LogLine[];
beforeAll(async () => {
  sns = await startFakeSns();
});
afterAll(() => sns.close());
beforeEach(async () => {
  sns.intercept();
  lines = watchLog();
  await db().execute(
    sql`truncate suppressed_addresses, subscribers, used_challenges, mails, campaigns cascade`,
  );
});

/** Posts a body as Amazon SNS and other programs do, none of which declares JSON. */
const post = (body: string, headers: Record<string, string> = {}, method = "POST") =>
  call(
    action,
    new Request(`${ORIGIN}/webhooks/mail`, {
      method,
      body,
      headers: { "Content-Type": "text/plain; charset=UTF-8", ...headers },
    }),
  );

/** Posts reports in the documented format. */
function report(
  reports: unknown,
  { secret = SECRET, at = Date.now(), body = JSON.stringify(reports) } = {},
) {
  const time = Math.floor(at / 1000);
  const mac = createHmac("sha256", secret).update(`${time}.${body}`).digest("hex");
  return post(body, { "Mail-Report-Signature": `t=${time},v1=${mac}` });
}

/** Returns the reasons of the suppressed addresses. */
async function suppressed(...emails: string[]): Promise<(string | undefined)[]> {
  const find = async (email: string) =>
    db().execute<{ reason: string }>(
      sql`select reason from suppressed_addresses where address_hash = ${addressHash(email)}`,
    );
  return Promise.all(emails.map(async (email) => (await find(email))[0]?.reason));
}

const countSuppressed = async () =>
  (await db().execute(sql`select from suppressed_addresses`)).length;

/** What Amazon's documentation shows of the mail in each of its records. */
const mail = {
  timestamp: "2017-08-05T00:40:02.012Z",
  source: "Sender Name <sender@example.com>",
  sourceArn: "arn:aws:ses:us-east-1:123456789012:identity/sender@example.com",
  sendingAccountId: "123456789012",
  messageId: "EXAMPLE7c191be45-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000",
  destination: ["Walker1@example.test"],
  headersTruncated: false,
  headers: [{ name: "From", value: "Sender Name <sender@example.com>" }],
  commonHeaders: { to: ["walker1@example.test"], subject: "Message sent from Amazon SES" },
};
const bounce = (changes: Record<string, unknown> = {}) => ({
  bounceType: "Permanent",
  bounceSubType: "General",
  bouncedRecipients: [
    {
      emailAddress: "Walker1@example.test",
      action: "failed",
      status: "5.1.1",
      diagnosticCode: "smtp; 550 5.1.1 user unknown",
    },
  ],
  timestamp: now(),
  feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
  reportingMTA: "dsn; mta.example.com",
  ...changes,
});
const complaint = (changes: Record<string, unknown> = {}) => ({
  complainedRecipients: [{ emailAddress: "walker1@example.test" }],
  timestamp: now(),
  feedbackId: "01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000",
  userAgent: "Amazon SES Mailbox Simulator",
  complaintFeedbackType: "abuse",
  arrivalDate: "2017-08-05T00:41:02.669Z",
  ...changes,
});

const event = (of: Record<string, unknown>) => ({ Message: JSON.stringify({ ...of, mail }) });
const ofBounce = (changes = {}) => event({ eventType: "Bounce", bounce: bounce(changes) });
const ofComplaint = (changes = {}) =>
  event({ eventType: "Complaint", complaint: complaint(changes) });

describe("Amazon SES", () => {
  it.each<[string, Fields, string | undefined]>([
    ["a bounce as an event", ofBounce(), "listed"],
    ["a bounce", event({ notificationType: "Bounce", bounce: bounce() }), "listed"],
    ["a complaint as an event", ofComplaint(), "complaint"],
    ["a complaint", event({ notificationType: "Complaint", complaint: complaint() }), "complaint"],
    // useSend #440: a line break ends the last signed field too
    ["a subject", { ...ofComplaint(), SignatureVersion: "2", Subject: "Event" }, "complaint"],
    ["a full mailbox", ofBounce({ bounceType: "Transient" }), undefined],
    // opengovsg/plumber #1629
    ["a mail moved out of spam", ofComplaint({ complaintFeedbackType: "not-spam" }), undefined],
    ["a bounce of a year ago", ofBounce({ timestamp: "2025-11-01T00:00:00.000Z" }), undefined],
    ["a delivery", event({ eventType: "Delivery", delivery: {} }), undefined],
    // ope-tech/laravel-ses #10: the first message is a sentence
    ["the first message", { Message: "Successfully validated SNS topic." }, undefined],
  ])("reports %s", async (_what, fields, reason) => {
    await addWalkers(1);
    expect((await post(sns.sign(fields))).status).toBe(200);
    expect(await suppressed("walker1@example.test")).toEqual([reason]);
    const left = await db().execute(sql`select from subscribers`);
    expect(left).toHaveLength(reason === "complaint" ? 0 : 1);
    expect(everythingIn(lines)).not.toMatch(/walker1|user unknown/i);
  });

  // penpot #11092: another host's address would be fetched from inside the network
  it.each([
    [`${HOST}/?Action=ConfirmSubscription&TopicArn=${TOPIC}&Token=2336`, 200],
    ["https://169.254.169.254/", 503],
    [`${HOST}.evil.example/`, 503],
  ])("has its subscription confirmed at %s with %i", async (SubscribeURL, status) => {
    const confirmation = { Type: "SubscriptionConfirmation", Message: "You have …", Token: "2336" };
    sns.asked.length = 0;
    expect((await post(sns.sign({ ...confirmation, SubscribeURL }))).status).toBe(status);
    expect(sns.asked.includes("sns.eu-west-1.amazonaws.com/")).toBe(status === 200);
    expect(sns.asked.filter((one) => !one.startsWith("sns.eu-west-1.amazonaws.com/"))).toEqual([]);
  });

  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ofStranger = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const changed = (fields: Fields) => () => sns.sign({ ...ofBounce(), ...fields });
  const certified = (origin: string, name = "SimpleNotificationService-".padEnd(58, "0")) =>
    changed({ SigningCertURL: `${origin}/${name}.pem` });
  it.each<[string, number, () => string]>([
    ["a stranger's signature", 400, () => sns.sign(ofBounce(), ofStranger)],
    ["a changed message", 400, () => sns.sign(ofBounce()).replace("Walker1", "walker2")],
    // PostHog #61644: anybody can have a topic, whose messages Amazon signs
    ["another topic", 400, changed({ TopicArn: `${TOPIC}2` })],
    ["a certificate of another host", 400, certified("https://sns.evil.example")],
    ["a certificate of another region", 400, certified("https://sns.us-east-1.amazonaws.com")],
    ["a certificate without TLS", 400, certified(HOST.replace("https", "http"))],
    ["a certificate at another path", 400, certified(HOST, "a")],
    [
      "a certificate that Amazon lacks",
      503,
      certified(HOST, "SimpleNotificationService-".padEnd(58, "1")),
    ],
    ["an unknown signature version", 400, changed({ SignatureVersion: "3" })],
    // listmonk #498: raw message delivery has no signature
    ["a raw message", 400, () => ofBounce().Message],
    ["no JSON", 400, () => "{"],
    ["no object", 400, () => "[null]"],
    ["600 KB", 413, () => `"${"x".repeat(600 * 1024)}"`],
  ])("is not who sends %s", async (_what, status, body) => {
    sns.asked.length = 0;
    expect((await post(body())).status).toBe(status);
    expect(await countSuppressed()).toBe(0);
    expect(sns.asked.every((one) => one.startsWith("sns.eu-west-1.amazonaws.com/Simple"))).toBe(
      true,
    );
    expect(everythingIn(lines)).not.toMatch(/walker/i);
  });
});

it("asks Amazon for few certificates, however many a network makes up", async () => {
  const named = (index: number) =>
    sns.sign({
      ...ofBounce(),
      SigningCertURL: `${HOST}/SimpleNotificationService-${String(index).padStart(32, "2")}.pem`,
    });
  await post(sns.sign(ofBounce()));
  sns.asked.length = 0;
  for (let index = 0; index < 30; index += 1) {
    expect((await post(named(index))).status).toBe(503);
  }
  expect(sns.asked.length).toBeLessThanOrEqual(20);
  expect(lines.filter(({ message }) => message.includes("could not be asked")).length).toBeLessThan(
    2,
  );
  expect((await post(sns.sign(ofBounce()))).status).toBe(200);
});

describe("the documented format", () => {
  const one = (changes = {}) => ({
    email: "walker1@example.test",
    kind: "bounce",
    at: now(),
    ...changes,
  });

  it("suppresses known and unknown addresses, as 'subscribers bounce' does", async () => {
    await addWalkers(2);
    const reports = [
      one(),
      one({ email: "WALKER2@example.test", kind: "complaint" }),
      one({ email: "x@example.test" }),
    ];
    expect((await report(reports)).status).toBe(200);
    expect(
      await suppressed("walker1@example.test", "walker2@example.test", "x@example.test"),
    ).toEqual(["listed", "complaint", "listed"]);
    expect(everythingIn(lines)).not.toMatch(/example\.test/i);
  });

  it("counts a report once, also if its owner has subscribed again since", async () => {
    const reports = [one({ kind: "complaint" })];
    await Promise.all([1, 2, 3].map(() => report([...reports, one()])));
    await db().execute(sql`truncate suppressed_addresses`);
    expect((await report(reports)).status).toBe(200);
    expect(await countSuppressed()).toBe(0);
    expect((await report([one()])).status).toBe(200);
    expect(await countSuppressed()).toBe(1);
  });

  it.each<[string, number, () => Promise<Response>]>([
    ["another secret", 400, () => report([one()], { secret: SECRET.replace("0", "1") })],
    ["a time 301 s ago", 400, () => report([one()], { at: Date.now() - 302_000 })],
    ["a time 301 s ahead", 400, () => report([one()], { at: Date.now() + 302_000 })],
    ["a signature of nothing", 400, () => post("[]", { "Mail-Report-Signature": "" })],
    ["no JSON", 400, () => report(null, { body: "{" })],
    ["no list", 400, () => report(one())],
    ["1001 reports", 400, () => report(Array.from({ length: 1001 }, () => one()))],
    ["another kind", 400, () => report([one(), one({ kind: "soft" })])],
    ["no address", 400, () => report([one({ email: "walker1" })])],
    ["no time", 400, () => report([one({ at: "yesterday" })])],
    ["600 KB", 413, () => report("x".repeat(600 * 1024))],
    ["another method", 405, () => post("[]", {}, "PUT")],
  ])("with %s is refused with %i", async (_what, status, send) => {
    const answer = await send();
    expect(answer.status).toBe(status);
    expect(await answer.text()).not.toMatch(/walker/);
    expect(await countSuppressed()).toBe(0);
  });
});

it("takes no reports without a setting", async () => {
  site.restoreEnvironment({ SES_TOPIC_ARN: "", MAIL_REPORT_SECRET: "" });
  expect((await post(sns.sign(ofBounce()))).status).toBe(404);
  expect((await report([])).status).toBe(404);
});

describe("an issue that recipients call spam", () => {
  /** An issue that was sent to these walkers some minutes ago, with one mail still queued. */
  const issue = (slug: string, count: number, minutesAgo: number, queued = 1) =>
    db().execute(sql`
      with campaign as (
        insert into campaigns (slug, audience, subject, preview_text, markdown, start_at)
        values (${slug}, 'subscribers', '', '', '', now()) returning id
      )
      insert into mails (kind, priority, campaign_id, address_hash, state, expires_at, finished_at)
      select 'newsletter', 2, campaign.id, ${addressHash(sql`'walker' || n || '@example.test'`)},
        case when n <= ${count} then 'sent' else 'queued' end, now() + interval '1 day',
        case when n <= ${count} then now() - make_interval(mins => ${minutesAgo}) end
      from campaign, generate_series(1, ${count + queued}::int) n`);
  const complain = (...numbers: number[]) =>
    report(
      numbers.map((n) => ({ email: `walker${n}@example.test`, kind: "complaint", at: now() })),
    );
  const states = async () =>
    (
      await db().execute<{ slug: string; state: string }>(
        sql`select slug, state from campaigns order by slug`,
      )
    ).map(({ slug, state }) => `${slug} ${state}`);

  it.each([
    [2, 10, "running"],
    [3, 1001, "running"],
    [3, 1000, "paused"],
  ])("by %i complaints of %i mails is then %s", async (complaints, sent, state) => {
    await issue("a", sent, 5);
    await complain(...Array.from({ length: complaints }, (_, index) => index + 1));
    expect(await states()).toEqual([`a ${state}`]);
  });

  it("is the last one that was sent to them, and pauses only while it is being sent", async () => {
    await issue("a", 20, 9);
    await issue("b", 10, 5);
    await issue("c", 20, -5);
    await complain(1, 2, 11);
    expect(await states()).toEqual(["a running", "b running", "c running"]);
    await complain(3);
    expect(await states()).toEqual(["a running", "b paused", "c running"]);
    expect((await readHealthFacts({ place: "", startId: randomUUID() })).complaints).toEqual([
      { id: expect.any(String), slug: "b", complaints: 3, sent: 10 },
    ]);
    await issue("d", 10, 0, 0);
    await db().execute(
      sql`update suppressed_addresses set created_at = now() + interval '1 second'`,
    );
    expect(await db().transaction(pauseCampaignsWithComplaints)).toBe(0);
    expect((await states()).at(-1)).toBe("d running");
  });
});

describe("the translations in docs/letters.md", () => {
  const docs = readFileSync("docs/letters.md", "utf8");
  const [handler = "", ...translations] = [...docs.matchAll(/^```js\n(.*?)^```/gms)].map(
    ([, code]) => code ?? "",
  );

  const postmark = (SuppressionReason: string) => ({
    RecordType: "SubscriptionChange",
    MessageStream: "bulk",
    ChangedAt: `${now().replace("Z", "0259Z")}`,
    Recipient: "walker1@example.test",
    Origin: "Recipient",
    SuppressSending: true,
    SuppressionReason,
  });
  const mailgun = (event: Record<string, unknown>) => ({
    signature: { token: "c5f6", timestamp: "1521233195", signature: "09dc" },
    "event-data": {
      id: "G9Bn5sl1TC6nu79C8C0bwg",
      timestamp: Date.now() / 1000,
      recipient: "walker1@example.test",
      ...event,
    },
  });
  const brevo = (event: string) => ({
    event,
    email: "walker1@example.test",
    date: "2026-11-28 13:00:00",
    ts: Math.floor(Date.now() / 1000) - 40,
    ts_event: Math.floor(Date.now() / 1000),
  });

  it.each<[string, number, unknown, string | undefined]>([
    ["Postmark's bounce", 0, postmark("HardBounce"), "listed"],
    ["Postmark's complaint", 0, postmark("SpamComplaint"), "complaint"],
    ["Postmark's unsubscribing", 0, postmark("ManualSuppression"), undefined],
    [
      "Mailgun's bounce",
      1,
      mailgun({ event: "failed", severity: "permanent", reason: "suppress-bounce" }),
      "listed",
    ],
    [
      "Mailgun's full mailbox",
      1,
      mailgun({ event: "failed", severity: "temporary", reason: "generic" }),
      undefined,
    ],
    ["Mailgun's complaint", 1, mailgun({ event: "complained" }), "complaint"],
    ["Brevo's bounce", 2, brevo("hard_bounce"), "listed"],
    ["Brevo's full mailbox", 2, brevo("soft_bounce"), undefined],
    ["Brevo's complaint", 2, brevo("spam"), "complaint"],
  ])("translate %s", async (_what, provider, payload, reason) => {
    vi.spyOn(globalThis, "fetch").mockImplementation((input, init) =>
      call(action, new Request(input, init)),
    );
    const code = encodeURIComponent(`${handler}\n${translations[provider]}`);
    const { default: program } = await import(/* @vite-ignore */ `data:text/javascript,${code}`);
    const settings = { SITE: ORIGIN, SECRET, PATH: "random" };
    const request = (path: string) =>
      new Request(`https://reports.example/${path}`, {
        method: "POST",
        body: JSON.stringify(payload),
      });
    expect((await program.fetch(request("other"), settings)).status).toBe(404);
    expect((await program.fetch(request("random"), settings)).status).toBe(200);
    expect(await suppressed("walker1@example.test")).toEqual([reason]);
  });
});
