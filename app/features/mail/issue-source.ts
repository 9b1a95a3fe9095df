import type { RenderedMail } from "~db/schema";

/** A newsletter issue rendered once, from which each recipient's mail is made. */
export type PreparedIssue = {
  /** The mail to the owner of this token, with List-Unsubscribe headers. */
  compose: (unsubscribeToken: string) => RenderedMail;
};

/**
 * Renders a campaign's issue. Supplied by the newsletter, which is above mail in the layers; the worker caches the
 * result by campaign.
 */
export type IssueSource = (campaignId: string) => Promise<PreparedIssue>;
