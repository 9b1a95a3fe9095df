import { env } from "~/env.server";
import { unsubscribeUrl } from "~/features/mail/unsubscribe-links.server";
import { describeTime } from "~/features/newsletter/campaign-report";
import {
  audiencesOf,
  campaignLifetime,
  createCampaign,
  effectiveRate,
  inSendingTransaction,
  isForMembers,
} from "~/features/newsletter/create-campaign.server";
import { formatCount } from "~/features/newsletter/format-count";
import { renderIssueMail } from "~/features/newsletter/issue-mail.server";
import { issuePath } from "~/features/newsletter/newsletter-paths";
import {
  contentOf,
  describeSize,
  servedImage,
  weighIssue,
} from "~/features/newsletter/preview-issue.server";
import { type Issue, readIssueForSite } from "~/features/newsletter/read-issue.server";
import { parseRate, parseStartTime } from "~/features/newsletter/send-options.server";
import { describeDuration } from "~/features/newsletter/send-rate";
import { OperatorError } from "~db/operator-error";
import { type Audience, type AudienceCounts, countAudience } from "~db/queries/campaigns";
import type { Campaign } from "~db/schema";
import { requireConfirmation } from "./confirm.server";
import { note, print } from "./output.server";
import { isSiteSending, watchAndReport } from "./watch-campaign.server";
import { withDatabase } from "./with-database.server";

/** From this size on, writing the mails takes so long that the operator is told. */
const LARGE_LIST = 20_000;

type SendCommandOptions = {
  to?: string;
  at?: string;
  rate?: string;
  dryRun?: boolean;
  yes?: boolean;
};

/**
 * `newsletter send`: shows the issue and the number of recipients, and asks for confirmation. Writes the issue and all
 * its mails in one transaction, then shows on a terminal how far the site is in sending them.
 */
export async function send(file: string, options: SendCommandOptions): Promise<void> {
  const startAt = options.at === undefined ? new Date() : parseStartTime(options.at, new Date());
  const rate = options.rate === undefined ? null : parseRate(options.rate);
  await withDatabase(async () => {
    const issue = await readIssueForSite(file);
    const audience = audienceOf(issue, options.to);
    const counts = await countAudience(audience);
    await describeSend(issue, { audience, counts, rate, startAt: options.at ? startAt : null });
    if (options.dryRun) return print("\nThis was a dry run: nothing was written or sent.");
    if (!options.yes) await requireConfirmation(issue.slug, "send it");
    if (counts.recipients >= LARGE_LIST) note("Writing the mails, a few seconds per 100,000 …");

    const campaign = await writeCampaign(issue, {
      audience,
      startAt,
      rate,
      lifetimeMs: campaignLifetime(counts.recipients, rate),
    });
    if (startAt > new Date()) {
      return print(
        `Sending starts on ${describeTime(startAt)}.\n'newsletter cancel ${issue.slug}' calls it off.`,
      );
    }
    if ((await isSiteSending()) && process.stderr.isTTY) await watchAndReport(campaign);
  });
}

/** A forgotten option must not send an issue for members to others. */
function audienceOf(issue: Issue, to: string | undefined): Audience {
  const allowed = audiencesOf(issue);
  const audience = to === undefined ? allowed[0] : allowed.find((each) => each === to);
  if (audience) return audience;
  if (to !== "subscribers") {
    throw new OperatorError(`--to: found '${to}', wanted subscribers or premium.`);
  }
  throw new OperatorError(
    "--to subscribers: the file says 'premium: true', which is for members alone. Remove that line to send it to everyone.",
  );
}

type Plan = {
  audience: Audience;
  counts: AudienceCounts;
  rate: number | null;
  startAt: Date | null;
};

async function describeSend(
  issue: Issue,
  { audience, counts, rate, startAt }: Plan,
): Promise<void> {
  const content = contentOf(issue, servedImage);
  const { html } = await renderIssueMail(content, unsubscribeUrl("x".repeat(22)));
  const { htmlBytes, warnings } = weighIssue(issue, html);
  const { recipients, suppressed, unconfirmed, unsubscribedMembers } = counts;
  const whom =
    audience === "premium"
      ? `${formatCount(recipients, "member")} on the list`
      : formatCount(recipients, "subscriber");
  const page = env().PUBLIC_URL + issuePath(issue.slug);
  print(`Subject  ${issue.subject}`);
  print(`Preview  ${issue.preview}`);
  print(`Mail     ${describeSize(issue, htmlBytes)}`);
  print(`Page     ${page}`);
  if (isForMembers(issue, audience)) print("         non-members see only its beginning");
  print(`To       ${whom}`);
  if (suppressed > 0) print(`         not to ${formatCount(suppressed)} on the suppression list`);
  if (unconfirmed > 0) print(`         not to ${formatCount(unconfirmed)} who have not confirmed`);
  if (audience === "premium" && unsubscribedMembers > 0) {
    print(`         not to ${formatCount(unsubscribedMembers, "member")} who have not subscribed`);
  }
  print(`Start    ${startAt ? describeTime(startAt) : "now"}`);
  const perSecond = effectiveRate(rate);
  if (perSecond !== null) {
    const duration = describeDuration(recipients / perSecond);
    print(`Rate     at most ${perSecond} a second: it takes ${duration} or longer`);
  }
  for (const warning of warnings) note(`Note: ${warning}`);
  if (!env().MAIL_POSTAL_ADDRESS) {
    note("Note: MAIL_POSTAL_ADDRESS is not set; many countries require a sender's postal address.");
  }
}

/** Writes the campaign, and says what was written. */
async function writeCampaign(
  issue: Issue,
  options: Parameters<typeof createCampaign>[1],
): Promise<Campaign> {
  const outcome = await inSendingTransaction((tx) => createCampaign(issue, options, tx));
  const { campaign } = outcome;
  switch (outcome.kind) {
    case "created":
      print(`\n${queued(outcome.queued)}.`);
      return campaign;
    case "extended":
      print(
        `\nThis issue was sent on ${describeTime(campaign.createdAt)}. ${queued(outcome.queued)} to those who have not had it.`,
      );
      if (campaign.state === "paused") {
        note(`It is paused; 'newsletter resume ${campaign.slug}' sends them.`);
      }
      return campaign;
    case "slug-taken":
      throw new OperatorError(
        `Nothing was sent: another issue was sent as '${campaign.slug}' on ${describeTime(campaign.createdAt)}, with another ${outcome.differs.join(", ")}. No one gets a slug twice, so give this one its own.`,
      );
    case "cancelled":
      throw new OperatorError(
        `Nothing was sent: '${campaign.slug}' was canceled, which is final. To send it anyway, give it another slug; those who already got it then get it again.`,
      );
  }
}

const queued = (count: number) =>
  `${formatCount(count, "mail")} ${count === 1 ? "is" : "are"} queued`;
