import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { log } from "~/observability/log.server";
import { setOpenMatters } from "~/observability/metrics.server";
import { getDatabase, type Transaction } from "~db/client";
import { readHealthFacts } from "~db/queries/operator-facts";
import {
  deleteMatter,
  findOpenMatters,
  insertMatter,
  lockOpenMatter,
  updateMatter,
} from "~db/queries/operator-matters";
import type { OperatorMatter } from "~db/schema";
import { judgeMatter, type Observation } from "./judge-matter";
import { dataPlace, LocalObserver, programPlace } from "./local-observations.server";
import { MATTER_RULES } from "./matter-rules";
import { clearMatter, reportMatters } from "./report-matters.server";
import { crashLoop, sharedObservations } from "./shared-observations";

const HOUR_MS = 60 * 60 * 1000;

/** How long after its last check a matter of another machine counts as unknown, in milliseconds. */
const LOST_AFTER_MS = 48 * HOUR_MS;

/** How long this process must have run before it ends matters that others have opened, in milliseconds. */
const SETTLED_MS = HOUR_MS;

/** Matters of one machine, which only a program there can check. */
const LOCAL_KINDS = new Set(["disk-low", "backup-late", "crash-loop", "edition-not-taken"]);

/** How long the database must be unavailable before the operator is notified, in milliseconds. */
const OUTAGE_MS = 5 * 60_000;

/** One process's repeated checks of the site. Any number of processes may check. */
export class SiteCheck {
  readonly #startedAt: number;
  readonly #local: LocalObserver;
  #failingSince: number | null = null;

  constructor(
    private readonly startId: string,
    now = new Date(),
  ) {
    this.#startedAt = now.getTime();
    this.#local = new LocalObserver(now.getTime());
  }

  /** Checks everything, records what has changed, and notifies the operator. Throws PostgreSQL's errors. */
  async run(now = new Date()): Promise<void> {
    try {
      await this.#look(now);
    } catch (error) {
      this.#failingSince ??= now.getTime();
      throw error;
    }
  }

  async #look(now: Date): Promise<void> {
    const [data, program] = await Promise.all([dataPlace(), programPlace()]);
    const [facts, open] = await Promise.all([
      readHealthFacts({ place: program, startId: this.startId }),
      findOpenMatters(),
    ]);
    let queued = 0;
    let isDue =
      (await this.#recordOutage(now)) ||
      open.some(
        (one) => one.reportedAt === null && one.goodSince === null && one.reportDueAt <= now,
      );
    const observed = [
      ...sharedObservations(facts, open, now),
      crashLoop(facts, data),
      ...(await this.#local.observe(data, now)),
    ];
    for (const observation of observed) {
      const matter = open.find(({ key }) => key === observation.key) ?? null;
      if (judgeMatter(matter, observation, now).kind === "none") continue;
      isDue = true;
      queued += await record(observation, now);
    }
    await this.#giveUpLost(open, now);
    if (isDue) queued += await reportMatters(now);
    if (queued > 0) wakeMailWorker();
    setOpenMatters(open.filter(({ reportedAt }) => reportedAt).map(({ kind }) => kind));
  }

  /** Notes that an outage of the database is over; the next check ends it, which is when the operator is notified. */
  async #recordOutage(now: Date): Promise<boolean> {
    const since = this.#failingSince;
    this.#failingSince = null;
    if (since === null || now.getTime() - since < OUTAGE_MS) return false;
    const kind = "database-unreachable";
    const facts = { minutes: Math.round((now.getTime() - since) / 60_000) };
    return insertMatter({ kind, key: kind, facts, openedAt: new Date(since), reportAfterMs: 0 });
  }

  /** Ends, without a mail, the matters of a machine or a volume that is not checked any more. */
  async #giveUpLost(open: readonly OperatorMatter[], now: Date): Promise<void> {
    if (now.getTime() - this.#startedAt < SETTLED_MS) return;
    for (const { id, kind, seenAt } of open) {
      if (!LOCAL_KINDS.has(kind) || now.getTime() - seenAt.getTime() < LOST_AFTER_MS) continue;
      await updateMatter(id, { clearedAt: now });
      log().warn(
        { matter: kind },
        "a matter is given up, since nobody has looked at it for two days",
      );
    }
  }
}

/** Records what an observation changes, having judged it again under the row's lock. Returns the mails queued. */
function record(observation: Observation, now: Date): Promise<number> {
  return getDatabase().db.transaction(async (tx) => {
    const matter = await lockOpenMatter(observation.key, tx);
    const step = judgeMatter(matter, observation, now);
    if (step.kind === "open") await open(observation, now, tx);
    if (!matter) return 0;
    const { facts } = observation;
    if (step.kind === "keep") {
      await updateMatter(matter.id, { seenAt: now, goodSince: null, facts }, tx);
    } else if (step.kind === "wait") {
      await updateMatter(matter.id, { seenAt: now, goodSince: now }, tx);
    } else if (step.kind === "forget") {
      await deleteMatter(matter.id, tx);
    } else if (step.kind === "clear") {
      return (await clearMatter(matter, facts, now, tx)) ? 1 : 0;
    }
    return 0;
  });
}

async function open({ kind, key, facts }: Observation, now: Date, tx: Transaction): Promise<void> {
  const { reportAfterMs } = MATTER_RULES[kind];
  await insertMatter({ kind, key, facts, openedAt: now, reportAfterMs }, tx);
}
