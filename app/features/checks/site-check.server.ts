import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { setOpenMatters } from "~/observability/metrics.server";
import { getDatabase } from "~db/client";
import { readHealthFacts } from "~db/queries/operator-facts";
import {
  deleteMatter,
  findOpenMatters,
  insertMatter,
  lockOpenMatter,
  updateMatter,
} from "~db/queries/operator-matters";
import type { OperatorMatter } from "~db/schema";
import { DiskReader, dataPlace, programPlace } from "./local-readings.server";
import { aboutMatter, type MatterReading, matterOf, readMatters } from "./matters.server";
import { clearMatter, reportMatters } from "./report-matters.server";

const HOUR_MS = 60 * 60 * 1000;

/** How long after its last check a matter of another machine counts as unknown, in milliseconds. */
const LOST_AFTER_MS = 48 * HOUR_MS;

/** How long this process must have run before it ends matters that others have opened, in milliseconds. */
const SETTLED_MS = HOUR_MS;

/** How often it is recorded that a matter continues, in milliseconds. */
const SEEN_EVERY_MS = HOUR_MS;

/** How long the database must be unavailable before the operator is notified, in milliseconds. */
const OUTAGE_MS = 5 * 60_000;

/** One process's repeated checks of the site. Any number of processes may check. */
export class SiteCheck {
  readonly #startedAt: number;
  readonly #disks = new DiskReader();
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
      findOpenMatters(),
    ]);
    const hadOutage = await this.#recordOutage(now);
    const readings = [
      ...readMatters(facts, open, data, now),
      ...(await this.#disks.read()).map((reading) => aboutMatter("disk-low", reading, data)),
    ];
    const changed = readings.filter(
      (reading) =>
        judgeMatter(
          open.find(({ key }) => key === reading.key),
          reading,
          now,
        ) !== "none",
    );
    let queued = 0;
    for (const reading of changed) queued += await record(reading, now);
    await this.#giveUpLost(open, now);
    const isDue = ({ reportedAt, goodSince, reportDueAt }: OperatorMatter) =>
      reportedAt === null && goodSince === null && reportDueAt <= now;
    if (hadOutage || changed.length > 0 || open.some(isDue)) queued += await reportMatters(now);
    if (queued > 0) wakeMailWorker();
    setOpenMatters(open.filter(({ reportedAt }) => reportedAt).map(({ kind }) => kind));
  }

  /** Notes that an outage of the database is over; the next check ends it, which is when the operator is notified. */
  async #recordOutage(now: Date): Promise<boolean> {
    const openedAt = this.#failingSince;
    this.#failingSince = null;
    const lastedMs = openedAt ? now.getTime() - openedAt.getTime() : 0;
    if (!openedAt || lastedMs < OUTAGE_MS) return false;
    const kind = "database-unreachable";
    const facts = { minutes: Math.round(lastedMs / 60_000) };
    return insertMatter({ kind, key: kind, facts, openedAt, reportAfterMs: 0 });
  }

  /** Ends, without a mail, the matters of a machine or a volume that is not checked any more. */
  async #giveUpLost(open: readonly OperatorMatter[], now: Date): Promise<void> {
    if (now.getTime() - this.#startedAt < SETTLED_MS) return;
    for (const { id, kind, seenAt } of open) {
      if (!matterOf(kind)?.isLocal || now.getTime() - seenAt.getTime() < LOST_AFTER_MS) continue;
      await updateMatter(id, { clearedAt: now });
      log().warn(
        { matter: kind },
        "a matter is given up, since nobody has looked at it for two days",
      );
    }
  }
}

/** What follows from a reading for the stored matter. */
type MatterStep =
  | "none"
  | "open"
  /** Goes on: with newer facts, and not on its way to being mended. */
  | "keep"
  /** Is well for the first time, but not for long enough yet. */
  | "wait"
  | "clear"
  /** Is over before anybody was told. */
  | "forget";

/**
 * Decides what follows from a reading. A brief failure between two good readings is not reported,
 * and a brief recovery between two bad ones does not end a matter.
 */
export function judgeMatter(
  matter: Pick<OperatorMatter, "seenAt" | "goodSince" | "reportedAt"> | null | undefined,
  { kind, state }: Pick<MatterReading, "kind" | "state">,
  now: Date,
): MatterStep {
  if (state === "unknown") return "none";
  if (!matter) return state === "bad" ? "open" : "none";
  const { seenAt, goodSince, reportedAt } = matter;
  if (state === "bad") {
    return goodSince || now.getTime() - seenAt.getTime() >= SEEN_EVERY_MS ? "keep" : "none";
  }
  // nobody was told, and nobody is to be told of what is well already
  if (!reportedAt) return "forget";
  const goodMs = now.getTime() - (goodSince ?? now).getTime();
  if (goodMs >= (matterOf(kind)?.clearAfterMs ?? 0)) return "clear";
  return goodSince ? "none" : "wait";
}

/** Records what a reading changes, having judged it again under the row's lock. Returns the mails queued. */
function record(reading: MatterReading, now: Date): Promise<number> {
  const { kind, key, facts } = reading;
  return getDatabase().db.transaction(async (tx) => {
    const matter = await lockOpenMatter(key, tx);
    const step = judgeMatter(matter, reading, now);
    if (!matter) {
      const reportAfterMs = matterOf(kind)?.reportAfterMs ?? 0;
      if (step === "open")
        await insertMatter({ kind, key, facts, openedAt: now, reportAfterMs }, tx);
      return 0;
    }
    const { id } = matter;
    if (step === "clear") return (await clearMatter(matter, facts, now, tx)) ? 1 : 0;
    if (step === "keep") await updateMatter(id, { seenAt: now, goodSince: null, facts }, tx);
    if (step === "wait") await updateMatter(id, { seenAt: now, goodSince: now }, tx);
    if (step === "forget") await deleteMatter(id, tx);
    return 0;
  });
}
