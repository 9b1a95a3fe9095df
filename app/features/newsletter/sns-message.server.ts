import { createVerify, type KeyObject, X509Certificate } from "node:crypto";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { z } from "zod";
import { emailSchema, readEmail } from "~/environment/email-address.server";

/** Timeout of a request to Amazon SNS, in milliseconds. */
const TIMEOUT_MS = 5_000;

/**
 * The fields that Amazon signs if a message has them, in its order:
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
const SIGNED_FIELDS = "Message MessageId Subject SubscribeURL Timestamp Token TopicArn Type".split(
  " ",
);

const HASHES = { "1": "RSA-SHA1", "2": "RSA-SHA256" };

const messageSchema = z.looseObject({
  Type: z.string(),
  Message: z.string(),
  TopicArn: z.string(),
  SubscribeURL: z.string().optional(),
  SignatureVersion: z.enum(["1", "2"]),
  Signature: z.string(),
  SigningCertURL: z.string(),
});

/** A message of Amazon SNS to an HTTP endpoint. */
export type SnsMessage = z.infer<typeof messageSchema>;

/** The message in a body; null if it is none, as with "raw message delivery". */
export function readSnsMessage(body: string): SnsMessage | null {
  return messageSchema.safeParse(parseJson(body)).data ?? null;
}

/**
 * Whether Amazon signed the message. The certificate comes from the topic's own region alone, so a message can neither
 * bring its own nor make the site ask another host. Rejects if the certificate cannot be fetched, or too many have been
 * for this network.
 */
export async function isSignedByAmazon(
  message: SnsMessage,
  network: string | null,
): Promise<boolean> {
  const { TopicArn, SignatureVersion, Signature, SigningCertURL } = message;
  const isCertificate = /^\/SimpleNotificationService-[a-z\d]{32}\.pem$/i;
  if (!isOfTopic(SigningCertURL, TopicArn, isCertificate)) return false;
  const verifier = createVerify(HASHES[SignatureVersion]);
  for (const field of SIGNED_FIELDS) {
    if (message[field] !== undefined) verifier.update(`${field}\n${message[field]}\n`);
  }
  return verifier.verify(await fetchKey(SigningCertURL, network), Signature, "base64");
}

/** Confirms a subscription. Rejects if its URL is not Amazon's, or Amazon does not answer. */
export async function confirmSubscription({ SubscribeURL = "", TopicArn }: SnsMessage) {
  if (!isOfTopic(SubscribeURL, TopicArn, /^\/$/)) throw new Error("SubscribeURL is not Amazon's.");
  await fetchText(SubscribeURL);
}

/** Whether a URL is of the host that serves the topic. */
function isOfTopic(url: string, topicArn: string, path: RegExp): boolean {
  if (!URL.canParse(url)) return false;
  const [, partition, , region] = topicArn.split(":");
  const domain = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  const { origin, pathname } = new URL(url);
  return origin === `https://sns.${region}.${domain}` && path.test(pathname);
}

/** Limits by network how often messages with made-up certificates make the site ask Amazon. */
const fetches = new RateLimiterMemory({ points: 20, duration: 60 });

/** The key fetched last; Amazon changes the URL with the certificate. */
let cached: { url: string; key: KeyObject } | null = null;

async function fetchKey(url: string, network: string | null): Promise<KeyObject> {
  if (cached?.url !== url) {
    await fetches.consume(network ?? "unknown").catch(() => {
      throw new Error("This network has named too many certificates.");
    });
    cached = { url, key: new X509Certificate(await fetchText(url)).publicKey };
  }
  return cached.key;
}

async function fetchText(url: string): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await fetch(url, { redirect: "error", signal });
  const text = await response.text();
  if (!response.ok) throw new Error(`Amazon SNS answered ${response.status}.`);
  return text;
}

/** A report that a mail could not be delivered, or that its recipient called it spam. */
export type MailReport = { email: string; kind: "bounce" | "complaint"; at: Date };

const at = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const recipients = z.array(z.object({ emailAddress: z.string() }));

/**
 * What both of Amazon's shapes have in common: notifications of an identity, and events of a configuration set.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
const sesSchema = z.object({
  bounce: z
    .object({ timestamp: at, bounceType: z.string(), bouncedRecipients: recipients })
    .optional(),
  complaint: z
    .object({
      timestamp: at,
      complaintFeedbackType: z.string().nullish(),
      complainedRecipients: recipients,
    })
    .optional(),
});

/** The reports in a message of Amazon SES; none if it is about anything but a permanent bounce or a complaint. */
export function readSesReports({ Message }: SnsMessage): MailReport[] {
  // the first message to a topic is a sentence, not JSON
  const { bounce, complaint } = sesSchema.safeParse(parseJson(Message)).data ?? {};
  if (bounce?.bounceType === "Permanent") {
    return reportsOf("bounce", bounce.timestamp, bounce.bouncedRecipients);
  }
  // "not-spam" says that the recipient moved the mail out of the spam folder
  if (complaint && complaint.complaintFeedbackType !== "not-spam") {
    return reportsOf("complaint", complaint.timestamp, complaint.complainedRecipients);
  }
  return [];
}

function reportsOf(kind: MailReport["kind"], at: Date, found: z.infer<typeof recipients>) {
  const emails = found.map(({ emailAddress }) => readEmail(emailAddress));
  return emails.filter((email) => email !== null).map((email) => ({ email, kind, at }));
}

/** The documented format of reports. */
const reportsSchema = z
  .array(
    z.object({ email: emailSchema, kind: z.enum(["bounce", "complaint"]), at }),
    "wanted a JSON list of reports",
  )
  .max(1_000);

/** Reads a body in the documented format; a text says what is wrong with it, without addresses. */
export function readReports(body: string): MailReport[] | string {
  const { data, error } = reportsSchema.safeParse(parseJson(body));
  const [issue] = error?.issues ?? [];
  return data ?? [...(issue?.path ?? []), issue?.message].join(": ");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
