import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { env } from "~/env.server";
import { log } from "~/observability/log.server";
import { logSecurityEventAtTimes } from "~/observability/security-log.server";
import { db } from "~db/client";
import { pauseCampaignsWithComplaints } from "~db/queries/complaints";
import { spendChallenge } from "~db/queries/passkeys";
import { suppressAddresses } from "~db/queries/suppressed-addresses";
import {
  confirmSubscription,
  isSignedByAmazon,
  type MailReport,
  readReports,
  readSesReports,
  readSnsMessage,
} from "./sns-message.server";

/** The most that a signature's time may differ from ours, in seconds. */
const TOLERANCE_S = 300;

/** Age from which a report has no effect, in milliseconds. Until then it is remembered, so that none counts twice. */
const REPORT_LIFE_MS = 30 * 24 * 3_600_000;

/** The suppression that a report makes: those of `subscribers bounce`. */
const REASONS = { bounce: "listed", complaint: "complaint" } as const;

/** The response to a mail provider, which repeats the report unless it is a 2xx. */
type ReportAnswer = { status: 200 | 400 | 404 | 503; message: string };

const NOTHING_HERE: ReportAnswer = { status: 404, message: "There is no such page." };

/**
 * Handles a delivery of reports: of Amazon SNS, or in the format of docs/letters.md if it has a `Mail-Report-Signature`.
 * `network` is the client's, if known. Throws PostgreSQL's errors.
 */
export async function receiveMailReports(
  body: string,
  signature: string | null,
  network: string | null,
): Promise<ReportAnswer> {
  const { SES_TOPIC_ARN, MAIL_REPORT_SECRET } = env();
  if (signature === null) {
    return SES_TOPIC_ARN ? receiveFromSns(body, SES_TOPIC_ARN, network) : NOTHING_HERE;
  }
  if (!MAIL_REPORT_SECRET) return NOTHING_HERE;
  if (!isSigned(body, signature, MAIL_REPORT_SECRET)) {
    const message =
      "mail report rejected: its signature is stale or made with a secret other than MAIL_REPORT_SECRET";
    return reject("mail report: wrong signature", message, network);
  }
  const reports = readReports(body);
  return typeof reports === "string" ? { status: 400, message: reports } : record(reports);
}

async function receiveFromSns(
  body: string,
  topicArn: string,
  network: string | null,
): Promise<ReportAnswer> {
  const message = readSnsMessage(body);
  // a signature alone proves little, because anybody can have a topic
  if (message?.TopicArn !== topicArn) {
    const advice =
      "mail report rejected: it is no message of SES_TOPIC_ARN; if Amazon sent it, compare the ARN, and turn off raw message delivery";
    return reject("mail report: another topic", advice, network);
  }
  try {
    if (!(await isSignedByAmazon(message, network))) {
      const words = "mail report rejected: it is not signed by Amazon";
      return reject("mail report: not Amazon's", words, network);
    }
    if (message.Type === "SubscriptionConfirmation") {
      await confirmSubscription(message);
      log().info("the subscription to SES_TOPIC_ARN is confirmed: Amazon's reports arrive");
      return { status: 200, message: "Confirmed." };
    }
  } catch (error) {
    const facts = { reason: "mail report: not checked", network, err: error };
    const words = "Amazon SNS could not be asked; it will send the report again";
    logSecurityEventAtTimes("webhook-refused", facts, words);
    return { status: 503, message: "The certificate or confirmation could not be fetched." };
  }
  return record(message.Type === "Notification" ? readSesReports(message) : []);
}

/** Whether a header `t=<seconds>,v1=<hex>` holds the HMAC-SHA256 of time and body, and the time is now. */
function isSigned(body: string, signature: string, secret: string): boolean {
  const [, time = "", mac = ""] = /^t=(\d{1,12}),v1=([\da-f]{64})$/.exec(signature) ?? [];
  const expected = createHmac("sha256", secret).update(`${time}.${body}`).digest();
  const isNow = Math.abs(Date.now() / 1_000 - Number(time)) <= TOLERANCE_S;
  return mac !== "" && isNow && timingSafeEqual(Buffer.from(mac, "hex"), expected);
}

/** Suppresses the reported addresses, each report once, and pauses issues that too many complain of. */
async function record(reports: MailReport[]): Promise<ReportAnswer> {
  const oldest = Date.now() - REPORT_LIFE_MS;
  const recent = reports
    .filter(({ at }) => at.getTime() > oldest)
    .map((report) => ({ ...report, hash: hashOf(report) }))
    // in one order, so that concurrent deliveries do not deadlock
    .sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const counts = await db().transaction(async (tx) => {
    const fresh: MailReport[] = [];
    for (const report of recent) {
      const expiresAt = new Date(report.at.getTime() + REPORT_LIFE_MS);
      if (await spendChallenge(report.hash, expiresAt, tx)) fresh.push(report);
    }
    const suppress = async (kind: MailReport["kind"]) => {
      const of = fresh.filter((report) => report.kind === kind).map(({ email }) => email);
      return (await suppressAddresses([...new Set(of)], REASONS[kind], tx)).suppressed;
    };
    const [bounces, complaints] = [await suppress("bounce"), await suppress("complaint")];
    const paused = complaints > 0 ? await pauseCampaignsWithComplaints(tx) : 0;
    return { reports: reports.length, bounces, complaints, paused };
  });
  if (reports.length > 0) log().info(counts, "mail reports received");
  return { status: 200, message: reports.length > 0 ? "Done." : "Nothing to do." };
}

function hashOf({ email, kind, at }: MailReport): string {
  const text = `mail report ${kind} ${at.toISOString()} ${email}`;
  return createHash("sha256").update(text).digest("hex");
}

function reject(reason: string, message: string, network: string | null): ReportAnswer {
  logSecurityEventAtTimes("webhook-refused", { reason, network }, message);
  return { status: 400, message: "This is not a report of this site's mail provider." };
}
