import { readableEmail } from "~/environment/email-address.server";
import { currentEdition } from "~/features/library/current-edition.server";
import { campaignPhase, campaignTotals } from "~/features/newsletter/campaign-report";
import { formatCount } from "~/features/newsletter/format-count";
import { findCampaigns, readCampaignProgress } from "~db/queries/campaigns";
import { type DraftInWork, findDraftsInWork } from "~db/queries/desk";
import { hasMailWorker } from "~db/queries/mail-workers";
import type { Campaign } from "~db/schema";
import { listAlerts } from "./alerts.server";
import { lastMonths, recentStatistics } from "./figures.server";

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
    lastLetter: last ? await describeLetter(last, now) : null,
    scheduled: listScheduled(campaigns, now),
    drafts: drafts.map(describeDraft),
  };
}

async function describeLetter(campaign: Campaign, now: Date) {
  const progress = await readCampaignProgress(campaign.id);
  const hasWorker = await hasMailWorker();
  const phase = campaignPhase({ campaign, progress, hasWorker, now });
  const sent = `${formatCount(progress.sent)} of ${formatCount(campaignTotals(progress).total)}`;
  const failed = formatCount(progress.failed + progress.expired);
  const { slug, subject, startAt } = campaign;
  return {
    slug,
    subject,
    at: startAt.toISOString(),
    state: `${phase}, ${sent} sent, ${failed} failed`,
  };
}

/** Letters and texts with a time in the future, the next first. */
function listScheduled(campaigns: readonly Campaign[], now: Date): Plan[] {
  const letters = campaigns.map(({ slug, subject, startAt, state }) => ({
    what: state === "running" ? "letter" : `letter, ${state}`,
    ...{ title: subject, path: `/desk/letters/sent/${slug}`, at: startAt },
  }));
  const texts = (currentEdition()?.all() ?? []).map(({ kind, title, publishAt }) => ({
    ...{ what: kind, title, path: "/desk/book", at: publishAt },
  }));
  return [...letters, ...texts]
    .filter(({ at, what }) => at && at > now && what !== "letter, cancelled")
    .map((plan) => ({ ...plan, at: plan.at?.toISOString() ?? "", by: null }))
    .sort((one, other) => one.at.localeCompare(other.at));
}

function describeDraft({ id, kind, path, beginning, savedAt, by }: DraftInWork): Plan {
  const [, subject] = /^subject:\s*["']?(.+?)["']?\s*$/m.exec(beginning) ?? [];
  const isSite = /^(site\.yml|pages\/.*)$/.test(path ?? "");
  const ofFile = { what: "file", title: path ?? "", path: isSite ? "/desk/site" : "/desk/book" };
  const ofLetter = {
    what: "letter",
    title: subject ?? "No subject yet",
    path: `/desk/letters/${id}`,
  };
  const draft = kind === "letter" ? ofLetter : ofFile;
  return { ...draft, at: savedAt.toISOString(), by: by && readableEmail(by) };
}
