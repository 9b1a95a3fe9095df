import type { Mail } from "~/features/mail/render-mail";
import { operatorLetterMail } from "~/features/mail/templates/operator-mails";
import { readStatistics, withOwnConnection } from "~/features/statistics/read-statistics.server";
import { monthAfter, monthsBetween, utcMonth } from "~/features/statistics/utc-day";
import type { Executor } from "~db/client";
import { OperatorError } from "~db/operator-error";
import { readDatabaseHealth } from "~db/queries/database-health";
import { findOpenAlerts } from "~db/queries/operator-alerts";
import { findFirstDay } from "~db/queries/statistics";
import { alertOf, utcDateTime } from "./alerts.server";
import { describeBackups } from "./check-backups.server";
import { type SiteState, writeLetter, writeMonth } from "./letter";
import { siteHost } from "./report-alerts.server";

/**
 * Composes the letter about a month, such as `2026-10`; null for a month before the site existed. Uses a connection of
 * its own, since a large site's figures take long.
 */
export async function composeLetter(month: string, now = new Date()): Promise<Mail | null> {
  return withOwnConnection((executor) => compose(month, now, executor));
}

async function compose(month: string, now: Date, executor: Executor): Promise<Mail | null> {
  const firstDay = await findFirstDay(executor);
  if (firstDay === null || firstDay.slice(0, 7) > month) return null;
  const back = monthsBetween(month, utcMonth(now)).length;
  // includes the month before, for comparison
  const { months } = await readStatistics(back, now, executor);
  const figures = months.find((one) => one.month === month);
  if (!figures) throw new OperatorError(`${month} is not over, or not a month.`);
  const before = months.find((one) => one.month === monthAfter(month, -1)) ?? null;
  const hadBefore = before !== null && firstDay.slice(0, 7) <= before.month;
  const { summary, sections } = writeLetter(figures, hadBefore ? before : null, await siteState());
  return operatorLetterMail({ host: siteHost(), month: writeMonth(month), summary, sections });
}

async function siteState(): Promise<SiteState> {
  const [open, backups, { version, bytes }] = await Promise.all([
    findOpenAlerts(),
    describeBackups(),
    readDatabaseHealth(),
  ]);
  const alerts = open
    .filter(({ reportedAt }) => reportedAt !== null)
    .flatMap(({ kind, facts, openedAt }) => {
      const title = alertOf(kind)?.words(facts).title;
      return title ? [{ title, since: utcDateTime(openedAt) }] : [];
    });
  return {
    alerts,
    backups,
    program: `The database has ${Math.ceil(bytes / 1e6).toLocaleString("en")} MB and runs on PostgreSQL ${version}, the program on Node.js ${process.versions.node}.`,
  };
}
