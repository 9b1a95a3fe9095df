import { readableEmail } from "~/environment/email-address.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { formatCount } from "~/features/newsletter/format-count";
import { findCampaigns } from "~db/queries/campaigns";
import { type DraftInWork, findDraftsInWork } from "~db/queries/desk";
import { hasMailWorker } from "~db/queries/mail-workers";
import type { Campaign } from "~db/schema";
import { listAlerts } from "./alerts.server";
import { DESK_PATH } from "./desk-paths";
import { listPath } from "./edition/edition-paths";
import { lastMonths, recentStatistics } from "./figures.server";
import { letterPath, sentPath } from "./letters/letter-paths";
import { parseLetter } from "./letters/letter-text.server";
import { describeSent } from "./letters/sent-letters.server";

/** Most letters that are looked through, and drafts that are listed. */
const MAX_LETTERS = 20;
const MAX_DRAFTS = 10;

/** What is scheduled or being written; `at` is when it comes out, or was saved. */
export type Plan = { what: string; title: string; path: string; at: string; by: string | null };

/** Loads the desk's first page: figures (null while they are counted), what needs a hand, and what comes. */
export async function readToday(now = new Date()) {
  const [statistics, alerts, campaigns, drafts] = await Promise.all([
    recentStatistics(lastMonths(12, now)),
    listAlerts(),
    findCampaigns(MAX_LETTERS),
    findDraftsInWork(MAX_DRAFTS),
  ]);
  const last = campaigns.find(({ startAt }) => startAt <= now);
  return {
    statistics,
    alerts,
    lastLetter: last ? await describeLetter(last) : null,
    scheduled: listScheduled(campaigns, now),
    drafts: drafts.map(describeDraft),
  };
}

async function describeLetter(campaign: Campaign) {
  const letter = await describeSent(campaign, await hasMailWorker());
  const { slug, subject, startAt, phase, failed } = letter;
  const sent = `${formatCount(letter.sent)} of ${formatCount(letter.total)}`;
  return {
    subject,
    path: sentPath(slug),
    at: startAt,
    state: `${phase}, ${sent} sent, ${formatCount(failed)} failed`,
  };
}

/** Letters and texts with a time in the future, the next first. */
function listScheduled(campaigns: readonly Campaign[], now: Date): Plan[] {
  const letters = campaigns.map(({ slug, subject, startAt, state }) => ({
    what: state === "running" ? "letter" : `letter, ${state}`,
    ...{ title: subject, path: sentPath(slug), at: startAt },
  }));
  const texts = (currentEdition()?.all() ?? []).map(({ kind, title, publishAt }) => ({
    ...{ what: kind, title, path: `${DESK_PATH}/book`, at: publishAt },
  }));
  return [...letters, ...texts]
    .filter(({ at, what }) => at && at > now && what !== "letter, cancelled")
    .map((plan) => ({ ...plan, at: plan.at?.toISOString() ?? "", by: null }))
    .sort((one, other) => one.at.localeCompare(other.at));
}

function describeDraft({ id, kind, path, beginning, savedAt, by }: DraftInWork): Plan {
  const ofFile = { what: "file", title: path ?? "", path: listPath(path ?? "") };
  const { subject } = parseLetter(beginning);
  const ofLetter = { what: "letter", title: subject || "No subject yet", path: letterPath(id) };
  const draft = kind === "letter" ? ofLetter : ofFile;
  return { ...draft, at: savedAt.toISOString(), by: by && readableEmail(by) };
}
