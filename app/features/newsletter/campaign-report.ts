import type { CampaignProgress } from "~db/queries/campaigns";
import type { Campaign } from "~db/schema";
import { alignColumns } from "./align-columns";
import { formatCount } from "./format-count";
import { describeDuration } from "./send-rate";

type Facts = {
  campaign: Pick<Campaign, "slug" | "subject" | "audience" | "state" | "pauseReason" | "startAt">;
  progress: CampaignProgress;
  failures: readonly { reply: string | null; count: number }[];
  /** Whether a mail worker is running. */
  hasWorker: boolean;
  now: Date;
};

/** Counts a campaign's mails and those still to be sent. */
export function campaignTotals(progress: CampaignProgress): { total: number; left: number } {
  const { queued, sending, sent, failed, expired, cancelled, suppressed } = progress;
  const left = queued + sending;
  return { total: left + sent + failed + expired + cancelled + suppressed, left };
}

/** Describes a campaign's current phase in a few words. */
export function campaignPhase({
  campaign,
  progress,
  hasWorker,
  now,
}: Omit<Facts, "failures">): string {
  const { left } = campaignTotals(progress);
  if (campaign.state === "cancelled") return "canceled";
  if (left === 0) return campaign.startAt > now ? "scheduled" : "finished";
  if (campaign.state === "paused") {
    return campaign.pauseReason ? `paused by the program: ${campaign.pauseReason}` : "paused";
  }
  if (campaign.startAt > now) {
    const seconds = (campaign.startAt.getTime() - now.getTime()) / 1_000;
    return `scheduled, starts in ${describeDuration(seconds)}`;
  }
  return hasWorker ? "sending" : "waiting for a running site";
}

/** Returns the numbers of a campaign's mails that were not simply sent, above 0, each with what became of them. */
export function campaignCounts(
  { state }: Pick<Campaign, "state">,
  progress: CampaignProgress,
): [count: number, what: string][] {
  const { failed, expired, cancelled, suppressed, inDoubt } = progress;
  const isCanceled = state === "cancelled";
  const counts: [number, string][] = [
    [
      campaignTotals(progress).left,
      isCanceled
        ? "being sent when it was canceled: delivered or given up within minutes"
        : "to be sent",
    ],
    [failed, "failed"],
    [expired, "given up: the mail server put them off for too long"],
    [suppressed, "not sent: on the suppression list"],
    [cancelled, isCanceled ? "canceled" : "not sent: unsubscribed in the meantime"],
    [inDoubt, "may have arrived twice: the mail server's answer was lost"],
  ];
  return counts.filter(([count]) => count > 0);
}

/** Describes a campaign for the operator, one fact per line. */
export function describeCampaign(facts: Facts): string[] {
  const { campaign, progress, failures } = facts;
  const { total } = campaignTotals(progress);
  return [
    `${campaign.slug}: ${campaignPhase(facts)}`,
    `  subject   ${campaign.subject}`,
    `  to        ${campaign.audience === "premium" ? "members on the list" : "subscribers"}`,
    `  start     ${describeTime(campaign.startAt)}`,
    `  sent      ${formatCount(progress.sent)} of ${formatCount(total)}`,
    ...campaignCounts(campaign, progress).map(
      ([count, what]) => `            ${formatCount(count)} ${what}`,
    ),
    ...failures.map(
      ({ reply, count }) => `  failed    ${formatCount(count)} with ${reply ?? "no answer"}`,
    ),
  ];
}

/** A campaign in a list. */
export type ListedCampaign = Omit<Facts, "failures" | "hasWorker" | "now">;

/** Formats campaigns as a table: start, recipients, mails left or failed, and phase. */
export function listCampaigns(
  listed: readonly ListedCampaign[],
  { hasWorker, now }: Pick<Facts, "hasWorker" | "now">,
): string[] {
  const rows = listed.map(({ campaign, progress }) => {
    const { total } = campaignTotals(progress);
    const unsent = progress.failed + progress.expired;
    return [
      campaign.slug,
      campaign.startAt.toISOString().slice(0, 10),
      `${formatCount(progress.sent)} of ${formatCount(total)}`,
      formatCount(unsent),
      campaignPhase({ campaign, progress, hasWorker, now }),
    ];
  });
  return alignColumns([["ISSUE", "START", "SENT", "FAILED", ""], ...rows], () => true);
}

/** Formats a time in local time and in UTC, so neither is mistaken for the other. */
export function describeTime(time: Date): string {
  const weekday = time.toLocaleString("en", { weekday: "long" });
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  const [day, clock] = local.toISOString().slice(0, 16).split("T");
  return `${weekday} ${day} ${clock} local time (${time.toISOString().slice(0, 16)}Z)`;
}
