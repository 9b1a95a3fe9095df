import { log } from "~/observability/log.server";
import type { Executor } from "~db/client";
import {
  type CampaignCursor,
  type ClaimedCampaignMail,
  claimCampaignMails,
  findCampaignsToSend,
  pauseCampaign,
} from "~db/queries/mail-claims";
import { takeMailTokens } from "~db/queries/mail-token-buckets";
import type { RenderedMail } from "~db/schema";

/** How long the list of campaigns and each campaign's cursor are cached. */
const LIST_LIFE_MS = 1_000;
const CURSOR_LIFE_MS = 10_000;

/** How long a campaign waits when the mail server throttles, in milliseconds. */
const BUSY_PAUSE_MS = 30_000;

/** Mails in a row that the server refuses for their content or sender before the campaign is paused. */
const MAX_BLOCKED = 20;

const CACHED_ISSUES = 4;

export type CampaignMail = ClaimedCampaignMail & { campaignId: string };

type Campaign = { id: string; rate: number | null };
type Place = { cursor: CampaignCursor | null; since: number };

/** Claims the mails of running campaigns round-robin, within the rate limits. */
export class CampaignLane {
  readonly #places = new Map<string, Place>();
  readonly #blocked = new Map<string, number>();
  /** Campaigns this worker paused and has not seen running since, with the monotonic time of the pause. */
  readonly #paused = new Map<string, number>();
  readonly #issues = new Map<string, Promise<PreparedIssue>>();
  #campaigns: Campaign[] = [];
  #listedAt = Number.NEGATIVE_INFINITY;
  #notBefore = 0;

  constructor(
    private readonly workerId: string,
    private readonly executor: Executor,
    private readonly issueSource: IssueSource,
    private readonly rate: number | null,
  ) {}

  /** Claims up to `most` mails of the next campaign in turn. `now` is monotonic milliseconds. */
  async claim(most: number, now: number): Promise<CampaignMail[]> {
    if (now < this.#notBefore) return [];
    await this.#list(now);
    for (let turns = this.#campaigns.length; turns > 0; turns--) {
      const campaign = this.#campaigns.shift();
      if (!campaign) break;
      const granted = await this.#takeTokens(campaign, most);
      const claimed = granted > 0 ? await this.#claimFrom(campaign.id, granted, now) : [];
      // a campaign with no more mails to claim is dropped until the list is refreshed
      if (granted === 0 || claimed.length > 0) this.#campaigns.push(campaign);
      if (claimed.length > 0) return claimed;
    }
    return [];
  }

  /** Milliseconds until a failed claim is worth repeating; under `idleMs` only if a rate limit caused the failure. */
  waitMs(idleMs: number): number {
    const rates = this.#campaigns.map(({ rate }) => rate ?? this.rate ?? 0).filter(Boolean);
    return rates.length > 0 ? Math.min(idleMs, Math.max(50, 1000 / Math.max(...rates))) : idleMs;
  }

  /** Returns a campaign's issue; rendered once and cached. */
  issue(campaignId: string): Promise<PreparedIssue> {
    const cached = this.#issues.get(campaignId);
    if (cached) return cached;
    const issue = this.issueSource(campaignId);
    issue.catch(() => this.#issues.delete(campaignId));
    this.#issues.set(campaignId, issue);
    const oldest = this.#issues.keys().next().value;
    if (this.#issues.size > CACHED_ISSUES && oldest) this.#issues.delete(oldest);
    return issue;
  }

  /** Pauses all campaigns because the mail server throttles. */
  pauseWhileBusy(now: number): void {
    this.#notBefore = now + BUSY_PAUSE_MS;
  }

  /** Resets the campaign's count of consecutive refusals for content or sender. */
  recordUnblocked(campaignId: string): void {
    this.#blocked.delete(campaignId);
  }

  /** Records that the server refused a mail for its content or sender. A run of refusals pauses the campaign. */
  async recordBlocked(campaignId: string, reply: string | null): Promise<void> {
    const blocked = (this.#blocked.get(campaignId) ?? 0) + 1;
    this.#blocked.set(campaignId, blocked);
    if (blocked !== MAX_BLOCKED) return;
    this.#blocked.delete(campaignId);
    // until the pause is stored, every list that is read still has the campaign
    this.#paused.set(campaignId, Number.POSITIVE_INFINITY);
    const reason = `The mail server refused ${MAX_BLOCKED} mails in a row: ${reply}`;
    await pauseCampaign(campaignId, reason, this.executor);
    this.#paused.set(campaignId, performance.now());
    log().error({ campaignId, reply }, "a campaign was paused: its mails are refused one by one");
  }

  /** Whether this worker paused the campaign because of such refusals. Mails already claimed need not be tried. */
  isPaused(campaignId: string): boolean {
    return this.#paused.has(campaignId);
  }

  async #claimFrom(campaignId: string, most: number, now: number): Promise<CampaignMail[]> {
    const place = this.#placeIn(campaignId, now);
    const { claimed, cursor } = await claimCampaignMails(
      this.workerId,
      campaignId,
      { most, after: place.cursor },
      this.executor,
    );
    if (cursor) place.cursor = cursor;
    else this.#places.delete(campaignId);
    return claimed.map((mail) => ({ ...mail, campaignId }));
  }

  async #list(now: number): Promise<void> {
    if (now - this.#listedAt < LIST_LIFE_MS) return;
    const readAt = performance.now();
    const due = await findCampaignsToSend(this.executor);
    for (const { id } of due) {
      if ((this.#paused.get(id) ?? 0) < readAt) this.#paused.delete(id);
    }
    // campaigns already listed keep their turn
    const turns = this.#campaigns.map(({ id }) => id);
    const turnOf = (id: string) => (turns.includes(id) ? turns.indexOf(id) : turns.length);
    this.#campaigns = due.toSorted((a, b) => turnOf(a.id) - turnOf(b.id));
    this.#listedAt = now;
  }

  /** Returns a cursor for a limited time, because rows that another worker had locked may be free again. */
  #placeIn(campaignId: string, now: number): Place {
    const known = this.#places.get(campaignId);
    if (known && now - known.since < CURSOR_LIFE_MS) return known;
    const place = { cursor: null, since: now };
    this.#places.set(campaignId, place);
    return place;
  }

  async #takeTokens({ id, rate }: Campaign, wanted: number): Promise<number> {
    const own = rate ? await takeMailTokens(`campaign:${id}`, rate, wanted, this.executor) : wanted;
    if (own === 0 || !this.rate) return own;
    return takeMailTokens(MAIL_RATE_BUCKET, this.rate, own, this.executor);
  }
}

/** The token bucket of `MAIL_RATE`. */
export const MAIL_RATE_BUCKET = "all";

/** A newsletter issue rendered once and reused for every recipient. */
export type PreparedIssue = {
  /** The mail to the owner of this token, with List-Unsubscribe headers. */
  compose: (unsubscribeToken: string) => RenderedMail;
};

/**
 * Renders a campaign's issue. The newsletter supplies it because mail may not import that feature. The worker caches
 * the result per campaign.
 */
export type IssueSource = (campaignId: string) => Promise<PreparedIssue>;
