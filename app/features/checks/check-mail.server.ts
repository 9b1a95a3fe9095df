import { createPublicKey } from "node:crypto";
import { type Environment, env } from "~/env.server";
import { isLoopbackHost } from "~/environment/host-names";
import { addressOf } from "~/environment/schema.server";
import type { TestMailOutcome } from "~/features/mail/send-test-mail.server";
import { verifyLogin } from "~/features/mail/smtp-transport.server";
import { printableText } from "~/features/newsletter/address-file/printable-text";
import { feedbackSender } from "~/features/newsletter/subscriber-links.server";
import { findFailedMails } from "~db/queries/failed-mails";
import { countFinishedMails, findRunningWorkers, readQueueLength } from "~db/queries/mail-history";
import { type Answer, ok, problem, warning } from "./answer";
import { addressesOf, codeOf, MAX_ADDRESSES, type Network, resolverOf } from "./network.server";

/** Transactional mail due for longer than this many seconds is stuck. */
const MAX_WAIT_S = 15 * 60;

/** Period in which failed mails count, in days. */
const HISTORY_DAYS = 7;

/** Timeout of each step of the login to the mail server, in milliseconds. */
const TIMEOUT_MS = 5_000;

/** Shortest DKIM key that receivers are content with (RFC 8301, 3.2: signers SHOULD use at least 2048 bits). */
const MIN_DKIM_BITS = 2_048;

const DKIM_ADVICE = `Make one of ${MIN_DKIM_BITS} bits, and publish it with a selector of its own: receivers trust shorter ones less.`;

const REPORTS_ADVICE =
  "Set SES_TOPIC_ARN for Amazon SES, else MAIL_REPORT_SECRET (docs/letters.md).";

const PTR_ADVICE =
  "If mail leaves from this address, have its owner, mostly the host of the server, set its reverse name to that of your mail server.";

/**
 * Checks the path of a mail from the queue to acceptance: mail server, sender's DNS records, workers, queue and the
 * last week's results. Changes nothing.
 */
export async function examineMail(network: Network = {}): Promise<Answer[]> {
  return [
    ...(await checkMailServer(network)),
    ...(await checkReputation(network)),
    ...(await checkSending()),
    ...(await checkHistory()),
  ];
}

/** Says in sentences what became of a test mail, with the mail server's answer as printable text. */
export function describeTestMail(outcome: TestMailOutcome): {
  isAccepted: boolean;
  sentences: string[];
} {
  if (outcome.kind === "written") {
    const sentence = `SMTP_URL isn't set, so nothing was sent. The mail is in ${outcome.file}`;
    return { isAccepted: true, sentences: [sentence] };
  }
  const answer = printableText(outcome.answer);
  if (outcome.kind === "accepted") {
    const sentences = [
      `${outcome.host} accepted the mail: ${answer}`,
      "Whether it arrives is up to the receiver: check the inbox and the spam folder.",
    ];
    return { isAccepted: true, sentences };
  }
  const advice = outcome.advice ? [outcome.advice] : [];
  const refused = `${outcome.host} did not accept the mail: ${answer}.`;
  return { isAccepted: false, sentences: [refused, ...advice] };
}

/** Checks what needs no database: the mail server and the sender's DNS records, concurrently. */
export async function checkMailServer(network: Network): Promise<Answer[]> {
  const { SMTP_URL, SANDBOX } = env();
  const what = "server";
  if (!SMTP_URL && SANDBOX) {
    const advice = "To send it, set SMTP_URL and MAIL_FROM.";
    return [warning(what, "none: mail is written to DATA_DIR/outbox", advice)];
  }
  if (!SMTP_URL) {
    const advice = "Set SMTP_URL and MAIL_FROM.";
    return [problem(what, "none, mail is written to DATA_DIR/outbox", advice)];
  }
  const [login, records] = await Promise.all([checkLogin(what, SMTP_URL), checkDns(network)]);
  return [login, ...records];
}

/** Checks the workers, the waiting mail, and failed mail that can be retried. Needs the database. */
export async function checkMailQueue(): Promise<Answer[]> {
  const failed = await findFailedMails(HISTORY_DAYS);
  return [
    ...(await checkSending()),
    ...failed
      .filter(({ retryable }) => retryable > 0)
      .map(({ kind, reply, retryable }) =>
        warning(
          "failed",
          `${retryable} ${kind} in ${HISTORY_DAYS} days${reply ? `, by ${reply}` : ""}`,
          "The mail server's log says why; fix that, and run 'mail retry'.",
        ),
      ),
  ];
}

async function checkLogin(what: string, url: string): Promise<Answer> {
  const login = await verifyLogin(url, TIMEOUT_MS);
  return login.kind === "accepted"
    ? ok(what, `${new URL(url).hostname} accepts the login`)
    : problem(what, login.code, login.advice);
}

async function checkDns(network: Network): Promise<Answer[]> {
  const { MAIL_FROM, MAIL_BOUNCE_ADDRESS, DKIM } = env();
  const domain = addressOf(MAIL_FROM)?.split("@")[1] ?? "";
  const bounceDomain = MAIL_BOUNCE_ADDRESS?.split("@")[1] ?? domain;
  return Promise.all([
    checkSpf(bounceDomain, MAIL_BOUNCE_ADDRESS !== undefined, network),
    checkDmarc(domain, network),
    DKIM
      ? checkDkim(DKIM, network)
      : ok("DKIM", "not signed here; most mail servers sign what they send"),
  ]);
}

/** Checks what receivers and the mail provider think of the sender; the provider's own matters are left to it. */
async function checkReputation(network: Network): Promise<Answer[]> {
  const { SMTP_URL, PUBLIC_URL, DKIM, SES_TOPIC_ARN, MAIL_REPORT_SECRET } = env();
  if (!SMTP_URL) return [];
  const host = new URL(PUBLIC_URL).hostname;
  const deliversItself = isLoopbackHost(new URL(SMTP_URL).hostname) && !isLoopbackHost(host);
  const bits = DKIM && createPublicKey(DKIM.privateKey).asymmetricKeyDetails?.modulusLength;
  return [
    ...(deliversItself ? await checkReverseNames(host, network) : []),
    ...(bits && bits < MIN_DKIM_BITS ? [warning("DKIM key", `${bits} bits`, DKIM_ADVICE)] : []),
    ...(DKIM
      ? [ok("Feedback-ID", `signed, in every letter; its sender is ${feedbackSender()}`)]
      : []),
    SES_TOPIC_ARN || MAIL_REPORT_SECRET
      ? ok("reports", "of bounces and complaints are accepted at /webhooks/mail")
      : warning("reports", "none of bounces and complaints after a mail was taken", REPORTS_ADVICE),
  ];
}

/**
 * Checks that each address of the site has a name that leads back to it, which receivers ask of a mail server. The mail
 * is taken to leave by the addresses that the site is reached at.
 */
async function checkReverseNames(host: string, network: Network): Promise<Answer[]> {
  const lookUpAddresses = (name: string) => addressesOf(name, network).catch((): string[] => []);
  const check = async (address: string): Promise<Answer> => {
    const names = await resolverOf(network)
      .reverse(address)
      .catch((): string[] => []);
    for (const name of names) {
      if ((await lookUpAddresses(name)).includes(address))
        return ok("PTR", `${address} is ${name}`);
    }
    const found = `no name of ${address} that leads back was found`;
    return warning("PTR", found, PTR_ADVICE);
  };
  const addresses = await lookUpAddresses(host);
  return Promise.all(addresses.slice(0, MAX_ADDRESSES).map(check));
}

async function checkSpf(domain: string, isOurs: boolean, network: Network): Promise<Answer> {
  const records = await lookUp(domain, (record) => /^v=spf1(?: |$)/i.test(record), network);
  const advice = "Add the SPF record that your mail provider names";
  if (isOurs) return judgeRecords("SPF", records, `${advice}.`);
  // many providers use a return address of their own, and SPF checks that domain
  const ifNeeded = `${advice}; none is needed if it sends with a return address of its own.`;
  return judgeRecords("SPF", records, ifNeeded, warning);
}

async function checkDmarc(domain: string, network: Network): Promise<Answer> {
  const at = (name: string) =>
    lookUp(`_dmarc.${name}`, (record) => /^v=DMARC1;/i.test(record), network);
  const isMissing = ({ right, error }: Records) => right === 0 && !error;
  const labels = domain.split(".");
  // a domain's policy applies to its subdomains (RFC 7489, 6.6.3); top-level domains have none
  const above = labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join("."));
  const own = await at(domain);
  let records = own;
  for (const name of above) if (isMissing(records)) records = await at(name);
  const advice =
    "Add a DMARC record, such as 'v=DMARC1; p=none': large receivers require one of newsletters.";
  return judgeRecords("DMARC", isMissing(records) ? own : records, advice);
}

async function checkDkim(
  dkim: NonNullable<Environment["DKIM"]>,
  network: Network,
): Promise<Answer> {
  const { selector, domain, privateKey } = dkim;
  const key = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const text = key.toString("base64");
  const name = `${selector}._domainkey.${domain}`;
  const records = await lookUp(name, (record) => publicKeyOf(record) === text, network);
  const advice = `Publish the public key of DKIM_KEY_FILE there: v=DKIM1; k=rsa; p=${text}`;
  return judgeRecords("DKIM", records, advice);
}

/** Returns the public key of a DKIM record (RFC 6376, 3.6.1). */
const publicKeyOf = (record: string) => /(?:^|;)\s*p=([^;]*)/.exec(record)?.[1]?.replace(/\s/g, "");

/** How many of a name's TXT records are valid for a purpose, and how many are others. */
type Records = { name: string; right: number; others: number; error?: string };

async function lookUp(
  name: string,
  isRight: (record: string) => boolean,
  network: Network,
): Promise<Records> {
  try {
    const records = await resolverOf(network).resolveTxt(name);
    const right = records.filter((parts) => isRight(parts.join(""))).length;
    return { name, right, others: records.length - right };
  } catch (error) {
    const code = codeOf(error);
    const isNone = code === "ENOTFOUND" || code === "ENODATA";
    return { name, right: 0, others: 0, ...(isNone ? {} : { error: code }) };
  }
}

function judgeRecords(
  what: string,
  { name, right, others, error }: Records,
  advice: string,
  judgeMissing = problem,
): Answer {
  if (error) {
    const retry = "Check this machine's name servers (/etc/resolv.conf), and run 'doctor' again.";
    return warning(what, `not looked up (${error})`, retry);
  }
  if (right === 0) {
    return judgeMissing(what, `${others > 0 ? "another record" : "none"} at ${name}`, advice);
  }
  // receivers ignore both of two records (RFC 7208, 4.5; RFC 7489, 6.6.3)
  if (right > 1 && what !== "DKIM") {
    const merge = "Merge them into one: receivers that find several follow none.";
    return problem(what, `${right} records at ${name}`, merge);
  }
  return ok(what, `at ${name}`);
}

/** Checks which processes send mail, and how long mail has been waiting. */
async function checkSending(): Promise<Answer[]> {
  const workers = await findRunningWorkers();
  const stopped = workers.find(({ circuitReason }) => circuitReason !== null);
  const sending = workers.reduce((sum, worker) => sum + worker.sending, 0);
  const running = `${workers.length} running, ${sending} mails being sent`;
  return [
    workers.length > 0
      ? ok("site", running)
      : problem("site", running, "Start the site, which sends the mail."),
    ...(stopped
      ? [
          problem(
            "sending",
            `stopped by the site, which tries one mail a minute (${stopped.circuitReason})`,
            "Check the mail server and its log. Sending resumes automatically.",
          ),
        ]
      : []),
    await checkQueue(),
  ];
}

async function checkQueue(): Promise<Answer> {
  const { transactional, campaign, longestWaitS } = await readQueueLength();
  const minutes = Math.round(longestWaitS / 60);
  const found = `${transactional} transactional mails, due for up to ${minutes} min, and ${campaign} of newsletters`;
  if (longestWaitS <= MAX_WAIT_S) return ok("queue", found);
  return problem("queue", found, "If the mail server works, check the site's log for errors.");
}

/** Returns one line per kind for sent mail, and one for each way of failing. */
async function checkHistory(): Promise<Answer[]> {
  const finished = await countFinishedMails(HISTORY_DAYS);
  return finished.map(({ kind, state, reply, count, inDoubt }) => {
    const by = reply ? ` by ${reply}` : "";
    const twice = inDoubt > 0 ? ` of which ${inDoubt} may have arrived twice` : "";
    const [what, found] = [`${kind}, ${HISTORY_DAYS} days`, `${count} ${state}${by}${twice}`];
    return state === "failed"
      ? problem(what, found, "The mail server's log says why. Look for these codes.")
      : ok(what, found);
  });
}
