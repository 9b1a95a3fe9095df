import { createVerify } from "node:crypto";
import { z } from "zod";
import { readEmail } from "~/features/accounts/credentials";

/** Timeout of a request to Amazon SNS, in milliseconds. */
const TIMEOUT_MS = 5_000;

/**
 * The fields that Amazon signs, by type and in the order of its documentation:
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html
 */
const CONFIRMATION = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"]; // biome-ignore format: one line
const SIGNED_FIELDS = {
  Notification: ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"],
  SubscriptionConfirmation: CONFIRMATION,
  UnsubscribeConfirmation: CONFIRMATION,
};

const HASHES = { "1": "RSA-SHA1", "2": "RSA-SHA256" };

const messageSchema = z.looseObject({
  Type: z.enum(["Notification", "SubscriptionConfirmation", "UnsubscribeConfirmation"]),
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
 * bring its own nor make the site ask another host. Rejects if the certificate cannot be fetched.
 */
export async function isSignedByAmazon(message: SnsMessage): Promise<boolean> {
  const { Type, TopicArn, SignatureVersion, Signature, SigningCertURL } = message;
  const isCertificate = /^\/SimpleNotificationService-[a-z\d]{32}\.pem$/i;
  if (!isOfTopic(SigningCertURL, TopicArn, isCertificate)) return false;
  const verifier = createVerify(HASHES[SignatureVersion]);
  for (const field of SIGNED_FIELDS[Type]) {
    if (message[field] !== undefined) verifier.update(`${field}\n${message[field]}\n`);
  }
  return verifier.verify(await fetchCertificate(SigningCertURL), Signature, "base64");
}

/** Confirms a subscription. Returns false if its URL is not Amazon's; rejects if Amazon does not answer. */
export async function confirmSubscription({ SubscribeURL = "", TopicArn }: SnsMessage) {
  if (!isOfTopic(SubscribeURL, TopicArn, /^\/$/)) return false;
  await fetchText(SubscribeURL);
  return true;
}

/** Whether a URL is of the host that serves the topic. */
function isOfTopic(url: string, topicArn: string, path: RegExp): boolean {
  if (!URL.canParse(url)) return false;
  const [, partition, , region] = topicArn.split(":");
  const domain = partition === "aws-cn" ? "amazonaws.com.cn" : "amazonaws.com";
  const { origin, pathname } = new URL(url);
  return origin === `https://sns.${region}.${domain}` && path.test(pathname);
}

/** The certificate fetched last; Amazon changes the URL with the certificate. */
let cached: { url: string; pem: string } | null = null;

async function fetchCertificate(url: string): Promise<string> {
  if (cached?.url !== url) cached = { url, pem: await fetchText(url) };
  return cached.pem;
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, {
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Amazon SNS answered ${response.status}.`);
  return text;
}

/** A report that a mail could not be delivered, or that its recipient called it spam. */
export type MailReport = { email: string; kind: "bounce" | "complaint"; at: Date };

const at = z.iso.datetime({ offset: true });
const recipients = z.array(z.object({ emailAddress: z.string() }));

/**
 * What both of Amazon's shapes have in common: notifications of an identity, and events of a configuration set.
 * https://docs.aws.amazon.com/ses/latest/dg/event-publishing-retrieving-sns-contents.html
 */
const sesSchema = z.object({
  bounce: z
    .object({ bounceType: z.string(), timestamp: at, bouncedRecipients: recipients })
    .optional(),
  complaint: z
    .object({
      complaintFeedbackType: z.string().nullish(),
      timestamp: at,
      complainedRecipients: recipients,
    })
    .optional(),
});

/** The reports in a message of Amazon SES; none if it is about anything but a permanent bounce or a complaint. */
export function readSesReports({ Message }: SnsMessage): MailReport[] {
  // the first message to a topic is a sentence, not JSON
  const { bounce, complaint } = sesSchema.safeParse(parseJson(Message)).data ?? {};
  const make = (found: z.infer<typeof recipients>, kind: MailReport["kind"], timestamp: string) =>
    found.flatMap(({ emailAddress }) => {
      const email = readEmail(emailAddress);
      return email ? [{ email, kind, at: new Date(timestamp) }] : [];
    });
  return [
    ...(bounce?.bounceType === "Permanent"
      ? make(bounce.bouncedRecipients, "bounce", bounce.timestamp)
      : []),
    // "not-spam" says that the recipient moved the mail out of the spam folder
    ...(complaint && complaint.complaintFeedbackType !== "not-spam"
      ? make(complaint.complainedRecipients, "complaint", complaint.timestamp)
      : []),
  ];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
