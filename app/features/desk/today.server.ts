import { currentEdition } from "~/features/library/current-edition.server";
import { findCampaigns } from "~db/queries/campaigns";
import { hasMailWorker } from "~db/queries/mail-workers";
import type { Campaign } from "~db/schema";
import { listAlerts } from "./alerts.server";
import { DESK_PATH } from "./desk-paths";
import { lastYear, recentStatistics } from "./figures.server";
import { sentPath } from "./letters/letter-paths";
import { describeSent } from "./letters/sent-letters.server";

/** Most letters that are looked through. */
const MAX_LETTERS = 20;

/** A letter or a text that comes out at a time. */
export type Plan = { what: string; title: string; path: string; at: string };

/** Loads the desk's first page: figures (null while they are counted), what needs a hand, and what comes. */
export async function readToday(now = new Date()) {
  const [statistics, alerts, campaigns] = await Promise.all([
    recentStatistics(lastYear(now)),
    listAlerts(),
    findCampaigns(MAX_LETTERS),
  ]);
  const last = campaigns.find(({ startAt }) => startAt <= now);
  const lastLetter = last ? await describeSent(last, await hasMailWorker()) : null;
  return { statistics, alerts, lastLetter, scheduled: listScheduled(campaigns, now) };
}

/** Letters and texts with a time in the future, the next first. */
function listScheduled(campaigns: readonly Campaign[], now: Date): Plan[] {
  const letters = campaigns
    .filter(({ state }) => state !== "cancelled")
    .map(({ slug, subject, startAt, state }) => ({
      what: state === "running" ? "letter" : `letter, ${state}`,
      title: subject,
      path: sentPath(slug),
      at: startAt,
    }));
  const texts = (currentEdition()?.all() ?? []).map(({ kind, title, publishAt }) => ({
    what: kind,
    title,
    path: `${DESK_PATH}/book`,
    at: publishAt,
  }));
  return [...letters, ...texts]
    .flatMap(({ at, ...plan }) => (at && at > now ? [{ ...plan, at: at.toISOString() }] : []))
    .sort((one, other) => one.at.localeCompare(other.at));
}
