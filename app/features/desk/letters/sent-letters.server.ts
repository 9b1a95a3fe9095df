import {
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  retryCampaign,
} from "~/features/newsletter/campaign-control.server";
import {
  campaignCounts,
  campaignPhase,
  campaignTotals,
} from "~/features/newsletter/campaign-report";
import { imageNamesIn } from "~/features/newsletter/issue-images";
import { IMAGES_PATH } from "~/features/newsletter/newsletter-paths";
import {
  findCampaignBySlug,
  findCampaigns,
  findFailureReplies,
  readCampaignProgress,
} from "~db/queries/campaigns";
import { countDepartures } from "~db/queries/complaints";
import { storeDeskFile } from "~db/queries/desk";
import { hasMailWorker } from "~db/queries/mail-workers";
import { findNewsletterImage } from "~db/queries/newsletter-images";
import type { Campaign } from "~db/schema";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { newLetter } from "./letters.server";

/** Sent letters on the list, and replies of the mail server on a letter's page. */
const LISTED = 20;
const LISTED_REPLIES = 10;

/** Lists the letters that were sent, the one that starts last first. */
export async function listSent() {
  const [campaigns, hasWorker] = await Promise.all([findCampaigns(LISTED), hasMailWorker()]);
  return Promise.all(campaigns.map((campaign) => describeSent(campaign, hasWorker)));
}

async function describeSent(campaign: Campaign, hasWorker: boolean) {
  const { id, slug, subject, audience, state, startAt } = campaign;
  const progress = await readCampaignProgress(id);
  const now = new Date();
  return {
    slug,
    subject,
    audience,
    state,
    startAt: startAt.toISOString(),
    /** Whether its numbers change by themselves. */
    isSending: state === "running" && startAt <= now && campaignTotals(progress).left > 0,
    phase: campaignPhase({ campaign, progress, hasWorker, now }),
    sent: progress.sent,
    /** Mails that could be sent again. */
    failed: progress.failed + progress.expired,
    ...campaignTotals(progress),
    counts: campaignCounts(campaign, progress),
  };
}

/** Loads a letter that was sent, with what became of it; null if there is none. */
export async function loadSent(slug: string) {
  const campaign = await findCampaignBySlug(slug);
  if (!campaign) return null;
  return {
    ...(await describeSent(campaign, await hasMailWorker())),
    failures: await findFailureReplies(campaign.id, LISTED_REPLIES),
    departures: await countDepartures(campaign.id),
  };
}

/** What an author can do to a letter that was sent, with what has then been done. */
const CONTROLS = new Map([
  ["pause", [pauseCampaign, "Paused"] as const],
  ["resume", [resumeCampaign, "Resumed"] as const],
  ["retry", [retryCampaign, "Retried"] as const],
  ["cancel", [cancelCampaign, "Canceled"] as const],
]);

/** Pauses, resumes, retries or cancels a letter; returns what was done in a word, or null if nothing was. */
export async function controlSent(
  author: Author,
  slug: string,
  control: string,
): Promise<string | null> {
  const [change, done] = CONTROLS.get(control) ?? [];
  const outcome = await change?.(slug);
  if (!done || outcome?.kind !== "done") return null;
  await recordChange(author, `${done} the letter “${outcome.campaign.subject}”`);
  return done;
}

/** Begins a draft with the text and pictures of a letter that was sent; null if there is none. Returns the draft's id. */
export async function duplicateSent(author: Author, slug: string): Promise<string | null> {
  const campaign = await findCampaignBySlug(slug);
  if (!campaign) return null;
  const { subject, premium, previewText: preview, markdown } = campaign;
  const body = markdown.replaceAll(IMAGES_PATH, "");
  const draftId = await newLetter(author, { subject, slug: "", preview, premium, body });
  for (const name of imageNamesIn(markdown)) {
    const content = (await findNewsletterImage(name))?.content;
    if (content) await storeDeskFile({ draftId, name, content, uploadedBy: author.userId });
  }
  return draftId;
}
