import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { setOpenAlerts } from "~/observability/metrics.server";
import { db } from "~db/client";
import { isWithin } from "~db/clock";
import {
  deleteAlert,
  findOpenAlerts,
  insertAlert,
  lockOpenAlert,
  updateAlert,
} from "~db/queries/operator-alerts";
import { readHealthFacts } from "~db/queries/operator-facts";
import type { OperatorAlert } from "~db/schema";
import { type AlertReading, aboutAlert, alertOf, readAlerts } from "./alerts.server";
import { dataPlace, diskReader, programPlace } from "./local-readings.server";
import { reportAlerts, resolveAlert } from "./report-alerts.server";

const HOUR_MS = 60 * 60 * 1000;

/** How long after its last check another machine's alert counts as lost, in milliseconds. */
const LOST_AFTER_MS = 48 * HOUR_MS;

/** How long this process must have run before it closes alerts of others, in milliseconds. */
const SETTLED_MS = HOUR_MS;

/** How often an open alert is recorded as ongoing, in milliseconds. */
const SEEN_EVERY_MS = HOUR_MS;

/** How long the database must be unavailable before the operator is notified, in milliseconds. */
const OUTAGE_MS = 5 * 60_000;

/** One process's periodic checks of the site. Any number of processes may run them. */
export class SiteCheck {
  readonly #startedAt: number;
  readonly #readDisks = diskReader();
  #failingSince: Date | null = null;

  constructor(
    private readonly startId: string,
    now = new Date(),
  ) {
    this.#startedAt = now.getTime();
  }

  /** Checks everything, records what has changed, and notifies the operator. Throws PostgreSQL's errors. */
  async run(now = new Date()): Promise<void> {
    try {
      await this.#look(now);
    } catch (error) {
      this.#failingSince ??= now;
      throw error;
    }
  }

  async #look(now: Date): Promise<void> {
    const [data, program] = await Promise.all([dataPlace(), programPlace()]);
    const [facts, open] = await Promise.all([
      readHealthFacts({ place: program, startId: this.startId }),
      findOpenAlerts(),
    ]);
    const hadOutage = await this.#recordOutage(now);
    const readings = [
      ...readAlerts(facts, open, data, now),
      ...(await this.#readDisks()).map((reading) => aboutAlert("disk-low", reading, data)),
    ];
    const changed = readings.filter(
      (reading) =>
        judgeAlert(
          open.find(({ key }) => key === reading.key),
          reading,
          now,
        ) !== "none",
    );
    let queued = 0;
    for (const reading of changed) queued += await record(reading, now);
    await this.#closeLost(open, now);
    const isUnreported = ({ reportedAt, goodSince }: OperatorAlert) => !reportedAt && !goodSince;
    if (hadOutage || changed.length > 0 || open.some(isUnreported)) {
      queued += await reportAlerts(now);
    }
    if (queued > 0) wakeMailWorker();
    setOpenAlerts(open.filter(({ reportedAt }) => reportedAt).map(({ kind }) => kind));
  }

  /** Records a past database outage. The next check resolves it, and only then notifies the operator. */
  async #recordOutage(now: Date): Promise<boolean> {
    const openedAt = this.#failingSince;
    this.#failingSince = null;
    const lastedMs = openedAt ? now.getTime() - openedAt.getTime() : 0;
    if (!openedAt || lastedMs < OUTAGE_MS) return false;
    const kind = "database-unreachable";
    const facts = { minutes: Math.round(lastedMs / 60_000) };
    return insertAlert({ kind, key: kind, facts, openedAt, reportAfterMs: 0 });
  }

  /** Closes, without a mail, the alerts of a machine or volume that is no longer checked. */
  async #closeLost(open: readonly OperatorAlert[], now: Date): Promise<void> {
    if (now.getTime() - this.#startedAt < SETTLED_MS) return;
    for (const { id, kind, seenAt } of open) {
      if (!alertOf(kind)?.isLocal || isWithin(seenAt, LOST_AFTER_MS, now)) continue;
      await updateAlert(id, { resolvedAt: now });
      log().warn({ alert: kind }, "an alert was closed, since nobody has checked it for two days");
    }
  }
}

/** What to do with the stored alert after a reading. */
type AlertStep =
  | "none"
  | "open"
  /** Still bad: update its facts, and do not resolve it yet. */
  | "keep"
  /** Good for the first time, but not for long enough yet. */
  | "wait"
  | "resolve"
  /** Recovered before it was reported. */
  | "forget";

/**
 * Decides what to do with an alert after a reading. A brief failure between two good readings is not reported,
 * and a brief recovery between two bad ones does not resolve an alert.
 */
export function judgeAlert(
  alert: Pick<OperatorAlert, "seenAt" | "goodSince" | "reportedAt"> | null | undefined,
  { kind, state }: Pick<AlertReading, "kind" | "state">,
  now: Date,
): AlertStep {
  if (state === "unknown") return "none";
  if (!alert) return state === "bad" ? "open" : "none";
  const { seenAt, goodSince, reportedAt } = alert;
  if (state === "bad") {
    return goodSince || !isWithin(seenAt, SEEN_EVERY_MS, now) ? "keep" : "none";
  }
  // a problem that ended before it was reported needs no report
  if (!reportedAt) return "forget";
  const since = goodSince ?? now;
  if (!isWithin(since, alertOf(kind)?.resolveAfterMs ?? 0, now)) return "resolve";
  return goodSince ? "none" : "wait";
}

/** Records what a reading changes, after judging it again under the row's lock. Returns the number of queued mails. */
function record(reading: AlertReading, now: Date): Promise<number> {
  const { kind, key, facts } = reading;
  return db().transaction(async (tx) => {
    const alert = await lockOpenAlert(key, tx);
    const step = judgeAlert(alert, reading, now);
    if (!alert) {
      const reportAfterMs = alertOf(kind)?.reportAfterMs ?? 0;
      if (step === "open")
        await insertAlert({ kind, key, facts, openedAt: now, reportAfterMs }, tx);
      return 0;
    }
    const { id } = alert;
    if (step === "resolve") return (await resolveAlert(alert, facts, now, tx)) ? 1 : 0;
    if (step === "keep") await updateAlert(id, { seenAt: now, goodSince: null, facts }, tx);
    if (step === "wait") await updateAlert(id, { seenAt: now, goodSince: now }, tx);
    if (step === "forget") await deleteAlert(id, tx);
    return 0;
  });
}
