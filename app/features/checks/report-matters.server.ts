import { env } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { type Mail, renderMail } from "~/features/mail/render-mail";
import { operatorClearedMail, operatorMatterMail } from "~/features/mail/templates/operator-mails";
import { log } from "~/observability/log.server";
import { getDatabase, type Transaction } from "~db/client";
import { lockMattersToReport, type MatterFacts, updateMatter } from "~db/queries/operator-matters";
import type { OperatorMatter } from "~db/schema";
import { matterOf, utcDateTime } from "./matters.server";

/** The command line for a command of the program. */
export const commandLine = (command: string): string => `node build/index.js ${command}`;

/** The idempotency key of the mail about a matter. */
export const matterMailKey = (id: string): string => `operator-matter:${id}`;

/**
 * Tells the operator of all matters that are due: a line in the log each and, with OPERATOR_EMAIL, a mail, queued in the
 * transaction that records it. Returns how many mails were queued; call `wakeMailWorker` if there are any.
 */
export async function reportMatters(now: Date): Promise<number> {
  return getDatabase().db.transaction(async (tx) => {
    let queued = 0;
    for (const matter of await lockMattersToReport(now, tx)) {
      if (await reportMatter(matter, now, tx)) queued += 1;
    }
    return queued;
  });
}

async function reportMatter(
  { id, kind, facts, openedAt }: OperatorMatter,
  now: Date,
  tx: Transaction,
): Promise<boolean> {
  const matter = matterOf(kind);
  if (!matter) return false;
  const words = matter.words(facts);
  const since = utcDateTime(openedAt);
  const commands = words.commands?.map(commandLine) ?? [];
  const isMailed =
    !matter.isToldAfterwards &&
    (await mailOperator(
      operatorMatterMail({ ...words, host: siteHost(), since, commands }),
      matterMailKey(id),
      tx,
    ));
  await updateMatter(id, { reportedAt: now, isMailed }, tx);
  log().warn({ matter: kind, since: openedAt }, `${words.title}: ${words.wrong} ${words.todo}`);
  return isMailed;
}

/**
 * Ends a matter that the operator was told of, in the caller's transaction: a line in the log and, if there was a mail
 * about it or there could be none, a mail. Returns whether one was queued.
 */
export async function clearMatter(
  { id, kind, facts, openedAt, isMailed }: OperatorMatter,
  newer: MatterFacts,
  now: Date,
  tx: Transaction,
): Promise<boolean> {
  const matter = matterOf(kind);
  await updateMatter(id, { clearedAt: now }, tx);
  if (!matter) return false;
  const { mendedTitle: title, mended } = matter.words({ ...facts, ...newer });
  log().info({ matter: kind, since: openedAt }, `${title}: ${mended}`);
  if (!isMailed && !matter.isToldAfterwards) return false;
  const mail = operatorClearedMail({
    host: siteHost(),
    title,
    mended,
    since: utcDateTime(openedAt),
    until: utcDateTime(now),
  });
  return mailOperator(mail, `operator-cleared:${id}`, tx);
}

/** Queues a mail to OPERATOR_EMAIL, once per key; false without an address or if it was queued before. */
export async function mailOperator(mail: Mail, key: string, tx: Transaction): Promise<boolean> {
  const to = env().OPERATOR_EMAIL;
  if (!to) return false;
  const kind = key.startsWith("operator-letter") ? "operator-letter" : "operator-matter";
  return enqueueMail({ kind, to, message: await renderMail(mail), idempotencyKey: key }, tx);
}

/** The site's host, which names it in mails. */
export const siteHost = (): string => new URL(env().PUBLIC_URL).host;
