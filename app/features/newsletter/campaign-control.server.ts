import { db } from "~db/client";
import {
  cancelCampaignMails,
  extendCampaignMails,
  lockCampaignBySlug,
  readCampaignProgress,
  retryCampaignMails,
  setCampaignState,
} from "~db/queries/campaigns";
import type { Campaign } from "~db/schema";
import { campaignLifetime } from "./create-campaign.server";

export type ControlOutcome =
  | { kind: "done"; campaign: Campaign }
  | { kind: "unknown" }
  /** The campaign is already in that state or has ended for good; nothing was changed. */
  | { kind: "unchanged"; campaign: Campaign };

/** Pauses a campaign until `resumeCampaign`. Mails already claimed by an instance are still sent. */
export function pauseCampaign(slug: string): Promise<ControlOutcome> {
  return change(slug, ["running"], "paused");
}

/** Resumes a paused campaign. Its mails get a new lifetime, as if it were sent now. */
export function resumeCampaign(slug: string): Promise<ControlOutcome> {
  return change(slug, ["paused"], "running", async ({ id, rate }, tx) => {
    const { queued } = await readCampaignProgress(id, tx);
    await extendCampaignMails(id, campaignLifetime(queued, rate), tx);
  });
}

/**
 * Requeues a campaign's mails that the mail server refused or deferred too long. For use once the cause is fixed,
 * because sending a slug again never resends to anyone. Skips mails that may have arrived. Bounced addresses are
 * suppressed, so the worker does not send to them.
 */
export function retryCampaign(slug: string): Promise<ControlOutcome> {
  return db().transaction(async (tx) => {
    const campaign = await lockCampaignBySlug(slug, tx);
    if (!campaign) return { kind: "unknown" };
    if (campaign.state === "cancelled") return { kind: "unchanged", campaign };
    const { failed, expired } = await readCampaignProgress(campaign.id, tx);
    const lifetimeMs = campaignLifetime(failed + expired, campaign.rate);
    const count = await retryCampaignMails(campaign.id, lifetimeMs, tx);
    return { kind: count > 0 ? "done" : "unchanged", campaign };
  });
}

/** Cancels a campaign for good, with all its unsent mails. */
export function cancelCampaign(slug: string): Promise<ControlOutcome> {
  return change(slug, ["running", "paused"], "cancelled", async ({ id }, tx) => {
    await cancelCampaignMails(id, tx);
  });
}

type Work = (campaign: Campaign, tx: Parameters<typeof setCampaignState>[2]) => Promise<void>;

function change(
  slug: string,
  from: readonly Campaign["state"][],
  to: Campaign["state"],
  work?: Work,
): Promise<ControlOutcome> {
  return db().transaction(async (tx) => {
    const campaign = await lockCampaignBySlug(slug, tx);
    if (!campaign) return { kind: "unknown" };
    if (!from.includes(campaign.state)) return { kind: "unchanged", campaign };
    await setCampaignState(campaign.id, to, tx);
    await work?.(campaign, tx);
    return { kind: "done", campaign: { ...campaign, state: to, pauseReason: null } };
  });
}
