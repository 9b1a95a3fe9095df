import { getDatabase } from "~db/client";
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
  /** It is in that state already, or its end is final; nothing was changed. */
  | { kind: "unchanged"; campaign: Campaign };

/** Stops sending an issue until `resumeCampaign`: of each instance, the mails in hand still go. */
export function pauseCampaign(slug: string): Promise<ControlOutcome> {
  return change(slug, ["running"], "paused");
}

/** Goes on sending a paused issue. Its mails get as long as if it were sent now, however long the pause was. */
export function resumeCampaign(slug: string): Promise<ControlOutcome> {
  return change(slug, ["paused"], "running", async ({ id, rate }, tx) => {
    const { queued } = await readCampaignProgress(id, tx);
    await extendCampaignMails(id, campaignLifetime(queued, rate), tx);
  });
}

/**
 * Sends again what of an issue the mail server refused, or put off for too long: once the reason is fixed, since
 * nobody gets a slug twice by sending it. What may have arrived is not sent again, nor what has bounced.
 */
export function retryCampaign(slug: string): Promise<ControlOutcome> {
  return getDatabase().db.transaction(async (tx) => {
    const campaign = await lockCampaignBySlug(slug, tx);
    if (!campaign) return { kind: "unknown" };
    if (campaign.state === "cancelled") return { kind: "unchanged", campaign };
    const { failed, expired } = await readCampaignProgress(campaign.id, tx);
    const lifetimeMs = campaignLifetime(failed + expired, campaign.rate);
    const count = await retryCampaignMails(campaign.id, lifetimeMs, tx);
    return { kind: count > 0 ? "done" : "unchanged", campaign };
  });
}

/** Gives up for good all mails of an issue that are not sent yet. */
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
  return getDatabase().db.transaction(async (tx) => {
    const campaign = await lockCampaignBySlug(slug, tx);
    if (!campaign) return { kind: "unknown" };
    if (!from.includes(campaign.state)) return { kind: "unchanged", campaign };
    await setCampaignState(campaign.id, to, tx);
    await work?.(campaign, tx);
    return { kind: "done", campaign: { ...campaign, state: to, pauseReason: null } };
  });
}
