import { env } from "~/env.server";
import { describeTestMail, examineMail } from "~/features/checks/check-mail.server";
import { MAIL_RULES } from "~/features/mail/mail-kinds";
import { describeMailQueue } from "~/features/mail/mail-report";
import type { Mail } from "~/features/mail/render-mail";
import { sendTestMail } from "~/features/mail/send-test-mail.server";
import { explainDataDirectoryFailure } from "~db/data-directory";
import { OperatorError } from "~db/operator-error";
import { findFailedMails, retryFailedMails } from "~db/queries/failed-mails";
import { countWaitingMails, readQueueLength } from "~db/queries/mail-history";
import { note, print, printAnswers } from "./output.server";
import { requireEmail } from "./parameters.server";
import { isSiteSending } from "./watch-campaign.server";
import { withDatabase } from "./with-database.server";

/** The period in which `mail status` counts failures. */
const FAILED_DAYS = 7;

/** `mail doctor`: prints each finding, and exits with 1 if there is a problem. */
export async function doctor(): Promise<void> {
  await withDatabase(async () => printAnswers(await examineMail()));
}

/** `mail test`: sends one mail to this address now, and exits with 1 unless the mail server accepts it. */
export async function test(address: string): Promise<void> {
  await sendAndDescribe(requireEmail(address));
}

/** Sends a mail, by default a test, to an address now, and prints the mail server's reply. */
export async function sendAndDescribe(to: string, mail?: Mail): Promise<void> {
  const outcome = await sendTestMail(to, mail).catch((error: unknown) => {
    throw explainDataDirectoryFailure(env().DATA_DIR, error);
  });
  const { isAccepted, sentences } = describeTestMail(outcome);
  if (!isAccepted) throw new OperatorError(sentences.join(" "));
  for (const sentence of sentences) print(sentence);
}

/** `mail status`: prints what waits to be sent and what failed, by kind and without addresses. */
export async function status(): Promise<void> {
  await withDatabase(async () => {
    const [queue, waiting, failed] = await Promise.all([
      readQueueLength(),
      countWaitingMails(),
      findFailedMails(FAILED_DAYS),
    ]);
    for (const line of describeMailQueue({ queue, waiting, failed, days: FAILED_DAYS }))
      print(line);
    await isSiteSending();
  });
}

/** `mail retry`: queues failed transactional mails again that are still worth sending. */
export async function retry({ kind }: { kind?: string }): Promise<void> {
  if (kind !== undefined && !Object.hasOwn(MAIL_RULES, kind)) {
    const kinds = Object.keys(MAIL_RULES).join(", ");
    throw new OperatorError(`--kind: found '${kind}', wanted one of ${kinds}.`);
  }
  await withDatabase(async () => {
    const retried = await retryFailedMails(kind ?? null);
    if (retried.length === 0) {
      return note("There is nothing to send again: every failed mail has expired.");
    }
    for (const { kind, count } of retried) print(`${count} ${kind} queued again`);
    await isSiteSending();
  });
}
