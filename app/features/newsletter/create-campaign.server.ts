import { env } from "~/env.server";
import type { Transaction } from "~db/client";
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

/** How long the mail server may refuse an issue for the time being until it is given up, in milliseconds. */
const RETRY_MS = 3 * DAY_MS;

export type SendOptions = {
  audience: Audience;
  startAt: Date;
  /** Maximum mails a second; null if only the site's own limit applies. */
  rate: number | null;
  /** How long the mails may be in the queue (`campaignLifetime`), in milliseconds. */
  lifetimeMs: number;
};

export type CampaignOutcome =
  | { kind: "created"; campaign: Campaign; queued: number }
  /** The issue was sent before: only those who did not have it were added. */
  | { kind: "extended"; campaign: Campaign; queued: number }
  /** Another issue was sent under this slug, or this one to another audience; nothing was written. */
  | { kind: "slug-taken"; campaign: Campaign; differs: string[] }
  /** The issue was cancelled, which is final; nothing was written. */
  | { kind: "cancelled"; campaign: Campaign };

/**
 * Writes an issue, its images, and a mail for each of its recipients, in the caller's transaction: either all of
 * it exists or nothing does. A slug stands for one issue, which nobody gets twice.
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
  // an instance of an earlier version may still be adding addresses without
  await fillUnsubscribeTokens(tx);
  const queued = await insertCampaignMails(campaign, { dueAt: startAt, lifetimeMs }, tx);
  return { kind: created ? "created" : "extended", campaign, queued };
}

/** Whether only members may read all of an issue. */
export function isForMembers({ premium }: Pick<Issue, "premium">, audience: Audience): boolean {
  return premium || audience === "premium";
}

/** Mails a second that a campaign with this rate can reach under the site's own limit; null for no limit. */
export function effectiveRate(rate: number | null): number | null {
  const slowest = Math.min(rate ?? Infinity, env().MAIL_RATE ?? Infinity);
  return Number.isFinite(slowest) ? slowest : null;
}

/** Time for retries, on top of twice the time that sending takes at a campaign's rate. In milliseconds. */
export function campaignLifetime(mails: number, rate: number | null): number {
  const perSecond = effectiveRate(rate);
  return RETRY_MS + (perSecond === null ? 0 : (2_000 * mails) / perSecond);
}

type Content = Pick<Campaign, "subject" | "previewText" | "markdown" | "premium" | "audience">;

/** In which parts, in the author's words, two issues differ. */
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
