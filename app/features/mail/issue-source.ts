/** A newsletter issue rendered once, from which each recipient's message is made. */
export type PreparedIssue = {
  /** The complete message (RFC 5322), List-Unsubscribe headers included; `messageId` is in angle brackets. */
  compose: (recipient: {
    email: string;
    unsubscribeToken: string;
    messageId: string;
    date: Date;
  }) => Buffer;
};

/**
 * Renders a campaign's issue. Supplied by the newsletter, which is above mail in the layers; the worker caches the
 * result by campaign.
 */
export type IssueSource = (campaignId: string) => Promise<PreparedIssue>;
