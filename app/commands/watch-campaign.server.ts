import { setTimeout as pause } from "node:timers/promises";
import { Presets, SingleBar } from "cli-progress";
import {
  campaignPhase,
  campaignTotals,
  describeCampaign,
} from "~/features/newsletter/campaign-report";
import { formatCount } from "~/features/newsletter/format-count";
import { describeDuration, RateMeter } from "~/features/newsletter/send-rate";
import {
  findCampaign,
  findCampaignBySlug,
  findFailureReplies,
  readCampaignProgress,
} from "~db/queries/campaigns";
import { hasMailWorker } from "~db/queries/mail-workers";
import type { Campaign } from "~db/schema";
import { note, print } from "./output.server";

/** Different replies of the mail server that a status names. */
const LISTED_FAILURES = 5;

/** Minimum time between two polls, in milliseconds; polling takes at most a twentieth of the time. */
const INTERVAL_MS = 1_000;
const IDLE_SHARE = 20;

/** Leaves room for the rest of the line in 80 columns, of a list of six digits with hours to go. */
const BAR_COLUMNS = 10;

/**
 * Shows on the terminal how far a campaign is until nothing is left to send; false after Ctrl-C. It only reads, so
 * leaving or losing the terminal changes nothing.
 */
async function watchCampaign(id: string): Promise<boolean> {
  const left = new AbortController();
  const leave = () => left.abort();
  process.once("SIGINT", leave);
  const bar = new SingleBar(
    {
      format: "{bar} {percentage} % · {counts} · {rate} · {phase}",
      barsize: BAR_COLUMNS,
      stream: process.stderr,
      // that would stop the bar on SIGTERM instead of the program
      gracefulExit: false,
    },
    Presets.shades_classic,
  );
  const meter = new RateMeter();
  try {
    while (!left.signal.aborted) {
      const startedAt = performance.now();
      const [campaign, progress, hasWorker] = await Promise.all([
        findCampaign(id),
        readCampaignProgress(id),
        hasMailWorker(),
      ]);
      if (!campaign) return true;
      const totals = campaignTotals(progress);
      const done = totals.total - totals.left;
      meter.add(done, startedAt);
      const rate = meter.perSecond();
      const timeLeft =
        rate && totals.left > 0 ? `, ${describeDuration(totals.left / rate)} left` : "";
      const shownFacts = {
        counts: `${formatCount(done)} of ${formatCount(totals.total)}`,
        rate: `${rate === null ? "…" : formatCount(Math.round(rate))} a second${timeLeft}`,
        phase: campaignPhase({ campaign, progress, hasWorker, now: new Date() }),
      };
      // an empty campaign is complete
      const [value, end] = totals.total === 0 ? [1, 1] : [done, totals.total];
      if (bar.isActive) {
        bar.setTotal(end);
        bar.update(value, shownFacts);
      } else {
        bar.start(end, value, shownFacts);
      }
      if (totals.left === 0 || campaign.state === "cancelled") return true;
      const took = performance.now() - startedAt;
      const wait = Math.max(INTERVAL_MS, took * (IDLE_SHARE - 1));
      await pause(wait, undefined, { signal: left.signal }).catch(() => {});
    }
    return false;
  } finally {
    bar.stop();
    process.removeListener("SIGINT", leave);
  }
}

/** Watches a campaign, and reports it once it is over. */
export async function watchAndReport({ id, slug }: Campaign): Promise<void> {
  const finished = await watchCampaign(id);
  if (!finished) {
    return note(`The site keeps sending. 'newsletter status ${slug}' shows how far it is.`);
  }
  const campaign = await findCampaignBySlug(slug);
  if (campaign) await report(campaign);
}

/** Prints how a campaign is doing. */
export async function report(campaign: Campaign): Promise<void> {
  const [progress, failures, hasWorker] = await Promise.all([
    readCampaignProgress(campaign.id),
    findFailureReplies(campaign.id, LISTED_FAILURES),
    hasMailWorker(),
  ]);
  const lines = describeCampaign({ campaign, progress, failures, hasWorker, now: new Date() });
  for (const line of lines) print(line);
}

/** Whether a running site sends mail; says so if none does. */
export async function isSiteSending(): Promise<boolean> {
  const isSending = await hasMailWorker();
  if (!isSending) {
    note("No site has been running for the last 20 seconds. Mail is only sent while one runs.");
  }
  return isSending;
}
