import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { dataDirectory } from "~/data-directory.server";
import {
  type ControlOutcome,
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
  retryCampaign,
} from "~/features/newsletter/campaign-control.server";
import { type ListedCampaign, listCampaigns } from "~/features/newsletter/campaign-report";
import { describeSize, writePreview } from "~/features/newsletter/preview-issue.server";
import { readIssue, readIssueForSite } from "~/features/newsletter/read-issue.server";
import { queueTest } from "~/features/newsletter/test-issue.server";
import { OperatorError } from "~db/operator-error";
import { findCampaignBySlug, findCampaigns, readCampaignProgress } from "~db/queries/campaigns";
import { hasMailWorker } from "~db/queries/mail-workers";
import { findMailByIdempotencyKey } from "~db/queries/mails";
import type { Campaign } from "~db/schema";
import { requireConfirmation } from "./confirm.server";
import { note, print } from "./output.server";
import { requireEmail } from "./parameters.server";
import { isSiteSending, report, watchAndReport } from "./watch-campaign.server";
import { withDatabase } from "./with-database.server";

// a command is the export of its name
export { cancelIssue as cancel, pauseIssue as pause, resumeIssue as resume, retryIssue as retry };

/** How many campaigns `newsletter status` lists. */
const LISTED_CAMPAIGNS = 20;

/** How long `newsletter test` waits for the site to send the mail, in milliseconds. */
const TEST_TIMEOUT_MS = 60_000;
const TEST_INTERVAL_MS = 250;

/** `newsletter preview`: writes an issue's mail into files, and sends nothing. */
export async function preview(file: string): Promise<void> {
  // names of images need no secret in files
  const issue = await readIssue(file, randomBytes(32));
  const folder = join(dataDirectory(), "outbox", `newsletter-${issue.slug}`);
  const { files, htmlBytes, warnings } = await writePreview(issue, folder);
  print(`Subject  ${issue.subject}`);
  print(`Preview  ${issue.preview}`);
  print(`Mail     ${describeSize(issue, htmlBytes)}`);
  for (const path of files) print(`         ${path}`);
  for (const warning of warnings) note(`Note: ${warning}`);
}

/** `newsletter test`: sends an issue to these addresses alone, and waits until it is sent. */
export async function test(file: string, options: { to: string[] }): Promise<void> {
  const addresses = options.to.map(requireEmail);
  await withDatabase(async () => {
    const issue = await readIssueForSite(file);
    const keys: string[] = [];
    for (const to of new Set(addresses)) keys.push(await queueTest(issue, to));
    await isSiteSending();
    await awaitTestMails(keys);
  });
}

async function awaitTestMails(keys: string[]): Promise<void> {
  const deadline = Date.now() + TEST_TIMEOUT_MS;
  for (const key of keys) {
    for (;;) {
      const mail = await findMailByIdempotencyKey(key);
      if (!mail || mail.finishedAt) {
        if (mail?.state !== "sent") {
          throw new OperatorError(`The mail wasn't sent: ${mail?.lastReply ?? mail?.state}.`);
        }
        break;
      }
      if (Date.now() > deadline) {
        const reply = mail.lastReply ? `, last answer ${mail.lastReply}` : "";
        throw new OperatorError(
          `The mail is still in the queue after a minute${reply}. It will be sent within the hour or not at all.`,
        );
      }
      await pause(TEST_INTERVAL_MS);
    }
  }
  print(keys.length === 1 ? "Sent." : `${keys.length} mails sent.`);
}

/** `newsletter status`: one campaign in detail, or the last ones in a line each. */
export async function status(
  slug: string | undefined,
  { watch = false }: { watch?: boolean } = {},
): Promise<void> {
  if (watch && slug === undefined) throw new OperatorError("--watch: wanted the slug of an issue.");
  await withDatabase(async () => {
    if (slug !== undefined) {
      const campaign = await findCampaignBySlug(slug);
      if (!campaign) throw unknownSlug(slug);
      if (watch && process.stderr.isTTY) return watchAndReport(campaign);
      return report(campaign);
    }
    const [campaigns, hasWorker] = await Promise.all([
      findCampaigns(LISTED_CAMPAIGNS),
      hasMailWorker(),
    ]);
    if (campaigns.length === 0) return print("No issue has been sent yet.");
    const listed: ListedCampaign[] = [];
    for (const campaign of campaigns) {
      listed.push({ campaign, progress: await readCampaignProgress(campaign.id) });
    }
    for (const line of listCampaigns(listed, { hasWorker, now: new Date() })) print(line);
    note("\n'newsletter status ISSUE' has an issue's numbers, and why mails failed.");
  });
}

/** `newsletter pause`: stops sending an issue until it is resumed. */
async function pauseIssue(slug: string): Promise<void> {
  await control(slug, () => pauseCampaign(slug));
}

/** `newsletter resume`: goes on sending a paused issue. */
async function resumeIssue(slug: string): Promise<void> {
  await control(slug, () => resumeCampaign(slug));
}

/** `newsletter retry`: sends an issue again to those whose mail was refused. */
async function retryIssue(slug: string): Promise<void> {
  await control(slug, () => retryCampaign(slug));
}

/** `newsletter cancel`: cancels all unsent mails of an issue for good. */
async function cancelIssue(slug: string, { yes = false }: { yes?: boolean }): Promise<void> {
  await control(slug, async (campaign) => {
    if (!yes && campaign.state !== "cancelled") {
      await report(campaign);
      await requireConfirmation(slug, "cancel it for good");
    }
    return cancelCampaign(slug);
  });
}

async function control(
  slug: string,
  change: (campaign: Campaign) => Promise<ControlOutcome>,
): Promise<void> {
  await withDatabase(async () => {
    const campaign = await findCampaignBySlug(slug);
    if (!campaign) throw unknownSlug(slug);
    const outcome = await change(campaign);
    if (outcome.kind === "unknown") throw unknownSlug(slug);
    await report(outcome.campaign);
    if (outcome.kind === "unchanged") note("Nothing was changed.");
  });
}

const unknownSlug = (slug: string) =>
  new OperatorError(`No issue was sent as '${slug}'; 'newsletter status' lists those that were.`);
