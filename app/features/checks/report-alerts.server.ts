import { env } from "~/env.server";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import { type Mail, renderMail } from "~/features/mail/render-mail";
import { operatorAlertMail, operatorResolvedMail } from "~/features/mail/templates/operator-mails";
import { log } from "~/observability/log.server";
import { db, type Transaction } from "~db/client";
import { findMailByIdempotencyKey } from "~db/queries/mails";
import { type AlertFacts, lockAlertsToReport, updateAlert } from "~db/queries/operator-alerts";
import type { OperatorAlert } from "~db/schema";
import { alertOf, utcDateTime } from "./alerts.server";

/** Returns the command line that runs a command of the program. */
const commandLine = (command: string): string => `golden-path ${command}`;

/** Returns the idempotency key of the mail about an alert. */
const alertMailKey = (id: string): string => `operator-matter:${id}`;

/** Describes an alert for the operator, without names of persons; null for a kind from a newer release. */
export async function describeAlert({
  id,
  kind,
  facts,
  openedAt,
  reportedAt,
  isMailed,
  resolvedAt,
}: OperatorAlert) {
  const alert = alertOf(kind);
  if (!alert) return null;
  const mail = isMailed ? await findMailByIdempotencyKey(alertMailKey(id)) : null;
  const { title, wrong, means, todo, commands = [] } = alert.words(facts);
  return {
    kind,
    /** Noticed, but not for long enough to be reported; reported, in the log and perhaps by mail; or resolved. */
    state: resolvedAt ? "resolved" : reportedAt ? "reported" : "noticed",
    title,
    wrong,
    means,
    todo,
    commands: commands.map(commandLine),
    since: openedAt,
    until: resolvedAt,
    /** The state of the mail about it; null if there was none. */
    mail: mail && { state: mail.state, reply: mail.lastReply },
  };
}

/**
 * Reports all alerts that are due: a log line each and, with OPERATOR_EMAIL, a mail, queued in the transaction that
 * records it. Returns the number of queued mails; call `wakeMailWorker` if there are any.
 */
export async function reportAlerts(now: Date): Promise<number> {
  return db().transaction(async (tx) => {
    let queued = 0;
    for (const alert of await lockAlertsToReport(now, tx)) {
      if (await reportAlert(alert, now, tx)) queued += 1;
    }
    return queued;
  });
}

async function reportAlert(
  { id, kind, facts, openedAt }: OperatorAlert,
  now: Date,
  tx: Transaction,
): Promise<boolean> {
  const alert = alertOf(kind);
  if (!alert) return false;
  const words = alert.words(facts);
  const since = utcDateTime(openedAt);
  const commands = words.commands?.map(commandLine) ?? [];
  const isMailed =
    !alert.isReportedAfterward &&
    (await mailOperator(
      operatorAlertMail({ ...words, host: siteHost(), since, commands }),
      alertMailKey(id),
      tx,
    ));
  await updateAlert(id, { reportedAt: now, isMailed }, tx);
  log().warn({ alert: kind, since: openedAt }, `${words.title}: ${words.wrong} ${words.todo}`);
  return isMailed;
}

/**
 * Resolves a reported alert in the caller's transaction. Writes a log line, and queues a mail if one was sent about
 * the alert or none could be. Returns whether it queued one.
 */
export async function resolveAlert(
  { id, kind, facts, openedAt, isMailed }: OperatorAlert,
  newer: AlertFacts,
  now: Date,
  tx: Transaction,
): Promise<boolean> {
  const alert = alertOf(kind);
  await updateAlert(id, { resolvedAt: now }, tx);
  if (!alert) return false;
  const { resolvedTitle: title, resolved } = alert.words({ ...facts, ...newer });
  log().info({ alert: kind, since: openedAt }, `${title}: ${resolved}`);
  if (!isMailed && !alert.isReportedAfterward) return false;
  const mail = operatorResolvedMail({
    host: siteHost(),
    title,
    resolved,
    since: utcDateTime(openedAt),
    until: utcDateTime(now),
  });
  return mailOperator(mail, `operator-cleared:${id}`, tx);
}

/** Queues a mail to OPERATOR_EMAIL, once per key. Returns false without an address, or if it was queued before. */
export async function mailOperator(mail: Mail, key: string, tx: Transaction): Promise<boolean> {
  const to = env().OPERATOR_EMAIL;
  if (!to) return false;
  const kind = key.startsWith("operator-letter") ? "operator-letter" : "operator-matter";
  return enqueueMail({ kind, to, message: await renderMail(mail), idempotencyKey: key }, tx);
}

/** Returns the site's host, which identifies it in mails. */
export const siteHost = (): string => new URL(env().PUBLIC_URL).host;
