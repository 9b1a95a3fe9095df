import { env } from "~/env.server";
import { getDatabase, type Transaction } from "~db/client";
import {
  type Audience,
  insertCampaign,
  insertCampaignMails,
  lockCampaignBySlug,
  setCampaignRate,
} from "~db/queries/campaigns";
import { insertNewsletterImages } from "~db/queries/newsletter-images";
import type { Campaign } from "~db/schema";
import type { Issue } from "./read-issue.server";
import { fillUnsubscribeTokens } from "./unsubscribe-token.server";

const DAY_MS = 86_400_000;

/** How long temporary refusals are retried before a mail is given up, in milliseconds. */
const RETRY_MS = 3 * DAY_MS;

export type SendOptions = {
  audience: Audience;
  startAt: Date;
  /** Maximum mails per second; null if only the site's own limit applies. */
  rate: number | null;
  /** How long the mails may be in the queue, in milliseconds (`campaignLifetime`). */
  lifetimeMs: number;
};

export type CampaignOutcome =
  | { kind: "created"; campaign: Campaign; queued: number }
  /** The issue was sent before; only recipients without it were added. */
  | { kind: "extended"; campaign: Campaign; queued: number }
  /** The slug belongs to another issue, or to this one with another audience; nothing was written. */
  | { kind: "slug-taken"; campaign: Campaign; differs: string[] }
  /** The issue was canceled for good; nothing was written. */
  | { kind: "cancelled"; campaign: Campaign };

/**
 * Writes an issue, its images, and a mail per recipient in the caller's transaction, all or nothing. A slug
 * identifies one issue, and no recipient gets an issue twice.
 */
export async function createCampaign(
  issue: Issue,
  { audience, startAt, rate, lifetimeMs }: SendOptions,
  tx: Transaction,
): Promise<CampaignOutcome> {
  const content = {
    subject: issue.subject,
    previewText: issue.preview,
    markdown: issue.markdown,
    premium: isForMembers(issue, audience),
    audience,
  };
  const created = await insertCampaign({ ...content, slug: issue.slug, startAt, rate }, tx);
  const campaign = created ?? (await lockCampaignBySlug(issue.slug, tx));
  if (!campaign) throw new Error(`There is no campaign '${issue.slug}'.`);
  if (!created) {
    if (campaign.state === "cancelled") return { kind: "cancelled", campaign };
    const differs = differences(campaign, content);
    if (differs.length > 0) return { kind: "slug-taken", campaign, differs };
    if (rate !== null) await setCampaignRate(campaign.id, rate, tx);
  }
  await insertNewsletterImages(issue.images, tx);
  // an instance of an earlier release may still be adding addresses without tokens
  await fillUnsubscribeTokens(tx);
  const queued = await insertCampaignMails(campaign, { dueAt: startAt, lifetimeMs }, tx);
  return { kind: created ? "created" : "extended", campaign, queued };
}

/** Runs a transaction that may send an issue to a long list, without a time limit on its statements. */
export async function inSendingTransaction<Result>(
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const connection = getDatabase().reopen({ max: 1, statementTimeout: null });
  try {
    return await connection.db.transaction(work);
  } finally {
    await connection.close();
  }
}

/** Returns the audiences that an issue may be sent to, the usual one first: one for members goes to nobody else. */
export function audiencesOf({ premium }: Pick<Issue, "premium">): Audience[] {
  return premium ? ["premium"] : ["subscribers", "premium"];
}

/** Whether only members may read the whole issue. */
export function isForMembers({ premium }: Pick<Issue, "premium">, audience: Audience): boolean {
  return premium || audience === "premium";
}

/** Returns the mails per second that a campaign can reach within the site's own limit; null for no limit. */
export function effectiveRate(rate: number | null): number | null {
  const slowest = Math.min(rate ?? Infinity, env().MAIL_RATE ?? Infinity);
  return Number.isFinite(slowest) ? slowest : null;
}

/** Returns the time for retries plus twice the time that sending takes at the campaign's rate, in milliseconds. */
export function campaignLifetime(mails: number, rate: number | null): number {
  const perSecond = effectiveRate(rate);
  return RETRY_MS + (perSecond === null ? 0 : (2_000 * mails) / perSecond);
}

type Content = Pick<Campaign, "subject" | "previewText" | "markdown" | "premium" | "audience">;

/** Returns the names, for the author, of the parts in which two issues differ. */
function differences(sent: Content, now: Content): string[] {
  const names: [keyof Content, string][] = [
    ["subject", "subject"],
    ["previewText", "preview"],
    ["markdown", "text or images"],
    ["audience", "audience"],
    ["premium", "premium"],
  ];
  return names.filter(([key]) => sent[key] !== now[key]).map(([, name]) => name);
}
