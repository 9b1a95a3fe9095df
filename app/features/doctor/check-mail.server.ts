import { env } from "~/env.server";
import { examineQueue, examineServer, type MailFinding } from "~/features/mail/mail-doctor.server";
import { findFailedMails } from "~db/queries/failed-mails";
import { type AreaFinding, warning } from "./finding";
import type { Limits } from "./limits";
import { type Network, resolverOf } from "./network.server";

/** The period in which failed mails count, in days. */
const FAILED_DAYS = 7;

/** The mail server, and the sender's DNS records; needs no database. */
export async function checkMailServer(network: Network): Promise<AreaFinding[]> {
  const { SMTP_URL, SANDBOX } = env();
  if (!SMTP_URL && SANDBOX) {
    return [
      warning(
        "server",
        "none: mail is written to DATA_DIR/outbox",
        "To send it, set SMTP_URL and MAIL_FROM.",
      ),
    ];
  }
  const resolver = resolverOf(network);
  return (await examineServer((name) => resolver.resolveTxt(name))).map(fromMail);
}

/** Who sends, what waits, what failed; needs the database. */
export async function checkMailQueue({ mailWaitSeconds }: Limits): Promise<AreaFinding[]> {
  const [findings, failed] = await Promise.all([
    examineQueue(mailWaitSeconds),
    findFailedMails(FAILED_DAYS),
  ]);
  const retryable = failed.filter((mails) => mails.retryable > 0);
  return [
    ...findings.map(fromMail),
    ...retryable.map(({ kind, reply, retryable: count }) =>
      warning(
        "failed",
        `${count} ${kind} in ${FAILED_DAYS} days${reply ? `, by ${reply}` : ""}`,
        "The mail server's log says why; mend that, and run 'mail retry'.",
      ),
    ),
  ];
}

const RESOLVER = "Check this machine's name servers (/etc/resolv.conf), and run 'doctor' again.";

function fromMail({ ok, what, found, advice, isUnknown, isWarning }: MailFinding): AreaFinding {
  const level = !ok ? "problem" : isUnknown || isWarning ? "warning" : "ok";
  const todo = isUnknown ? RESOLVER : advice;
  return {
    what: what === "mail server" ? "server" : what,
    level,
    found,
    ...(level !== "ok" && todo ? { advice: todo } : {}),
  };
}
