import { env } from "~/env.server";
import type { PreparedIssue } from "~/features/mail/campaign-lane.server";
import { MailHeading, MailLink, MailSmallPrint } from "~/features/mail/mail-elements";
import { MAIL_PROSE } from "~/features/mail/mail-prose";
import { renderMail } from "~/features/mail/render-mail";
import { unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import { MarkdownContent } from "~/features/markdown/markdown-content";
import type { MarkdownTree } from "~/features/markdown/markdown-tree.server";
import { currentSite } from "~/features/site/current-site.server";
import { bookWords } from "~/features/site/page-site";
import { findCampaign } from "~db/queries/campaigns";
import { issueTree } from "./issues.server";
import { issuePath } from "./newsletter-paths";
import { prepareMessage } from "./prepare-message";
import { feedbackSender } from "./subscriber-links.server";

/** An issue's content for its mail. */
export type IssueContent = {
  slug: string;
  subject: string;
  previewText: string;
  /** With absolute links and images. */
  text: MarkdownTree;
};

/** Renders an issue for one recipient, as HTML and plain text. */
export function renderIssueMail(
  { slug, subject, previewText, text }: IssueContent,
  unsubscribeUrl: string,
): ReturnType<typeof renderMail> {
  const pageUrl = env().PUBLIC_URL + issuePath(slug);
  return renderMail({
    subject,
    preview: previewText,
    content: (
      <div {...bookWords(currentSite())}>
        <MailHeading>{subject}</MailHeading>
        <MarkdownContent tree={text} components={MAIL_PROSE} cellAlignment="attribute" />
      </div>
    ),
    signature: null,
    notes: (
      <>
        <MailSmallPrint>
          You’re getting this letter because you subscribed to the newsletter of{" "}
          {currentSite().title}.
        </MailSmallPrint>
        <MailSmallPrint>
          <MailLink href={pageUrl}>Read it on the site</MailLink>
        </MailSmallPrint>
      </>
    ),
    list: { unsubscribeUrl, postalAddress: env().MAIL_POSTAL_ADDRESS ?? null },
  });
}

/** Renders a campaign's issue once; the mail worker makes each recipient's message from it. */
export async function prepareIssue(campaignId: string): Promise<PreparedIssue> {
  const campaign = await findCampaign(campaignId);
  if (!campaign) throw new Error(`There is no campaign ${campaignId}.`);
  const text = await issueTree(campaign.markdown, env().PUBLIC_URL);
  return prepareMessage({
    subject: campaign.subject,
    listId: `newsletter.${new URL(env().PUBLIC_URL).hostname}`,
    feedbackId: `${campaign.slug}:newsletter:${feedbackSender()}`,
    unsubscribeUrl,
    render: (url) => renderIssueMail({ ...campaign, text }, url),
  });
}
