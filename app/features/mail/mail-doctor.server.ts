import { createPublicKey } from "node:crypto";
import { Resolver } from "node:dns/promises";
import nodemailer from "nodemailer";
import { env } from "~/env.server";
import { addressOf } from "~/environment/schema.server";
import { countFinishedMails, findRunningWorkers, readQueueLength } from "~db/queries/mail-history";
import { SELF_CONTAINED } from "./compose-message.server";
import { describeSmtpFailure } from "./smtp-failure";

/** The result of one check: whether it passed, what was found, and what to do if it failed. */
export type MailFinding = {
  ok: boolean;
  what: string;
  found: string;
  advice?: string;
  /** Set if it could not be found out whether all is well. */
  isUnknown?: true;
  /** Set if it may be meant so. */
  isWarning?: true;
};

/** Transactional mail that has been due for longer than this many seconds is stuck. */
const MAX_WAIT_S = 15 * 60;
const HISTORY_DAYS = 7;
const LOOKUP_TIMEOUT_MS = 5_000;

type ResolveTxt = (name: string) => Promise<string[][]>;

/**
 * Checks everything between a queued mail and its acceptance: mail server, sender's DNS records, workers, queue and
 * the last week's results. Changes nothing. `resolveTxt` looks DNS records up.
 */
export async function examineMail(resolveTxt: ResolveTxt = lookUpTxt): Promise<MailFinding[]> {
  return [
    ...(await examineServer(resolveTxt)),
    ...(await examineQueue()),
    ...(await checkHistory()),
  ];
}

/** The part that needs no database: the mail server, and the DNS records of the sender, at the same time. */
export async function examineServer(resolveTxt: ResolveTxt = lookUpTxt): Promise<MailFinding[]> {
  const [server, records] = await Promise.all([
    checkServer(),
    env().SMTP_URL ? checkDns(resolveTxt) : [],
  ]);
  return [server, ...records];
}

/** Which sites send, and how long mail has been waiting, which may be `maxWaitS` seconds. */
export async function examineQueue(maxWaitS = MAX_WAIT_S): Promise<MailFinding[]> {
  return [...(await checkWorkers()), await checkQueue(maxWaitS)];
}

async function checkServer(): Promise<MailFinding> {
  const { SMTP_URL } = env();
  const what = "mail server";
  if (!SMTP_URL) {
    return {
      ok: false,
      what,
      found: "none, mail is written to DATA_DIR/outbox",
      advice: "Set SMTP_URL and MAIL_FROM.",
    };
  }
  const transport = nodemailer.createTransport({
    url: SMTP_URL,
    connectionTimeout: LOOKUP_TIMEOUT_MS,
    greetingTimeout: LOOKUP_TIMEOUT_MS,
    dnsTimeout: LOOKUP_TIMEOUT_MS,
    socketTimeout: LOOKUP_TIMEOUT_MS,
    ...SELF_CONTAINED,
  });
  try {
    await transport.verify();
    return { ok: true, what, found: `${new URL(SMTP_URL).hostname} accepts the login` };
  } catch (error) {
    const failure = describeSmtpFailure(error, { wasBegun: false, wasSentWhole: false });
    return failure.kind === "not-sent"
      ? { ok: false, what, found: failure.code, advice: failure.advice }
      : { ok: false, what, found: failure.kind };
  } finally {
    transport.close();
  }
}

async function checkDns(resolveTxt: ResolveTxt): Promise<MailFinding[]> {
  const { MAIL_FROM, MAIL_BOUNCE_ADDRESS, DKIM } = env();
  const domain = addressOf(MAIL_FROM)?.split("@")[1] ?? "";
  const bounceDomain = MAIL_BOUNCE_ADDRESS?.split("@")[1] ?? domain;
  const records = async (name: string) => {
    try {
      return (await resolveTxt(name)).map((parts) => parts.join(""));
    } catch (error) {
      const code = String((error as NodeJS.ErrnoException).code);
      return code === "ENOTFOUND" || code === "ENODATA" ? [] : code;
    }
  };
  const check = async (
    what: string,
    name: string,
    isRight: (record: string) => boolean,
    advice: string,
  ): Promise<MailFinding> => {
    const found = await records(name);
    if (typeof found === "string") {
      return { ok: true, what, found: `not looked up (${found})`, isUnknown: true };
    }
    const right = found.filter(isRight).length;
    // receivers that find two follow neither (RFC 7208, 4.5; RFC 7489, 6.6.3)
    if (right > 1 && what !== "DKIM") {
      const advice = "Merge them into one: receivers that find several follow none.";
      return { ok: false, what, found: `${right} records at ${name}`, advice };
    }
    if (right > 0) return { ok: true, what, found: `at ${name}` };
    const isOther = found.length > 0;
    return {
      ok: false,
      what,
      found: isOther ? `another record at ${name}` : `none at ${name}`,
      advice,
    };
  };
  const checkSpf = async () => {
    const finding = await check(
      "SPF",
      bounceDomain,
      (record) => /^v=spf1(?: |$)/i.test(record),
      "Add the SPF record that your mail provider names.",
    );
    if (MAIL_BOUNCE_ADDRESS || !isMissing(finding)) return finding;
    // many providers put a return address of their own, whose domain is then the one that counts
    const advice =
      "Add the SPF record that your mail provider names; none is needed if it sends with a return address of its own.";
    return { ...finding, ok: true, isWarning: true as const, advice };
  };
  const checkDmarc = async () => {
    const checkAt = (name: string) =>
      check(
        "DMARC",
        `_dmarc.${name}`,
        (record) => /^v=DMARC1;/i.test(record),
        "Add a DMARC record, such as 'v=DMARC1; p=none': large receivers require one of newsletters.",
      );
    const own = await checkAt(domain);
    if (!isMissing(own)) return own;
    // the policy of a domain holds for the names below it (RFC 7489, 6.6.3)
    for (const above of domainsAbove(domain)) {
      const finding = await checkAt(above);
      if (!isMissing(finding)) return finding;
    }
    return own;
  };
  return Promise.all([
    checkSpf(),
    checkDmarc(),
    DKIM
      ? check(
          "DKIM",
          `${DKIM.selector}._domainkey.${DKIM.domain}`,
          (record) => publicKeyOf(record) === publicKeyText(DKIM.privateKey),
          `Publish the public key of DKIM_KEY_FILE there: v=DKIM1; k=rsa; p=${publicKeyText(DKIM.privateKey)}`,
        )
      : { ok: true, what: "DKIM", found: "not signed here; most mail servers sign what they send" },
  ]);
}

/** Whether there is no such record, as opposed to several, or one that could not be looked up. */
const isMissing = ({ ok, found }: MailFinding) => !ok && !/^\d+ records/.test(found);

/** The domains that a name is below, but for its top-level domain: those of a.b.example are b.example. */
function domainsAbove(name: string): string[] {
  const labels = name.split(".");
  return labels.slice(1, -1).map((_, index) => labels.slice(index + 1).join("."));
}

/** The public key in a DKIM record (RFC 6376, 3.6.1). */
const publicKeyOf = (record: string) => /(?:^|;)\s*p=([^;]*)/.exec(record)?.[1]?.replace(/\s/g, "");

const publicKeyText = (privateKey: string) =>
  createPublicKey(privateKey).export({ type: "spki", format: "der" }).toString("base64");

async function checkWorkers(): Promise<MailFinding[]> {
  const workers = await findRunningWorkers();
  const open = workers.find(({ circuitReason }) => circuitReason !== null);
  const sending = workers.reduce((sum, worker) => sum + worker.sending, 0);
  return [
    {
      ok: workers.length > 0,
      what: "site",
      found: `${workers.length} running, ${sending} mails being sent`,
      ...(workers.length > 0 ? {} : { advice: "Start the site: it sends the mail." }),
    },
    ...(open
      ? [
          {
            ok: false,
            what: "sending",
            found: `stopped by the site, which tries one mail a minute (${open.circuitReason})`,
            advice: "Look at the mail server and its log; sending resumes by itself.",
          },
        ]
      : []),
  ];
}

async function checkQueue(maxWaitS: number): Promise<MailFinding> {
  const { transactional, campaign, longestWaitS } = await readQueueLength();
  const minutes = Math.round(longestWaitS / 60);
  return {
    ok: longestWaitS <= maxWaitS,
    what: "queue",
    found: `${transactional} transactional mails, due for up to ${minutes} min, and ${campaign} of newsletters`,
    ...(longestWaitS > maxWaitS
      ? { advice: "If the mail server works, look for errors in the site's log." }
      : {}),
  };
}

/** A line per kind for what was sent, and one for each way of failing. */
async function checkHistory(): Promise<MailFinding[]> {
  const finished = await countFinishedMails(HISTORY_DAYS);
  return finished.map(({ kind, state, reply, count, inDoubt }) => ({
    ok: state !== "failed",
    what: `${kind}, ${HISTORY_DAYS} days`,
    found: [
      `${count} ${state}`,
      ...(reply ? [`by ${reply}`] : []),
      ...(inDoubt > 0 ? [`of which ${inDoubt} may have arrived twice`] : []),
    ].join(" "),
    ...(state === "failed"
      ? { advice: "The mail server's log says why; look for these codes." }
      : {}),
  }));
}

function lookUpTxt(name: string): Promise<string[][]> {
  return new Resolver({ timeout: LOOKUP_TIMEOUT_MS, tries: 1 }).resolveTxt(name);
}
