import { randomBytes, randomUUID } from "node:crypto";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { dataDirectory } from "~/data-directory.server";
import { env } from "~/env.server";
import { readEmail } from "~/features/accounts/credentials";
import { enqueueMail } from "~/features/mail/enqueue-mail.server";
import {
  type ControlOutcome,
  cancelCampaign,
  pauseCampaign,
  resumeCampaign,
} from "~/features/newsletter/campaign-control.server";
import {
  campaignPhase,
  describeCampaign,
  describeTime,
  shown,
} from "~/features/newsletter/campaign-report";
import {
  campaignLifetime,
  createCampaign,
  effectiveRate,
  isForMembers,
} from "~/features/newsletter/create-campaign.server";
import { renderIssueMail, unsubscribeUrl } from "~/features/newsletter/issue-mail.server";
import { IMAGES_PATH, issuePath } from "~/features/newsletter/newsletter-paths";
import { contentOf, weighIssue, writePreview } from "~/features/newsletter/preview-issue.server";
import { type Issue, readIssue } from "~/features/newsletter/read-issue.server";
import { parseRate, parseStartTime } from "~/features/newsletter/send-options.server";
import { describeDuration } from "~/features/newsletter/send-rate";
import { getDatabase } from "~db/client";
import { OperatorError } from "~db/operator-error";
import {
  type Audience,
  type AudienceCounts,
  countAudience,
  findCampaignBySlug,
  findCampaigns,
  findFailureReplies,
  readCampaignProgress,
} from "~db/queries/campaigns";
import { hasMailWorker } from "~db/queries/mail-workers";
import { findMailByIdempotencyKey } from "~db/queries/mails";
import { insertNewsletterImages } from "~db/queries/newsletter-images";
import { ensureSiteKey } from "~db/queries/site-keys";
import { findSubscriberByEmail } from "~db/queries/subscribers";
import type { Campaign } from "~db/schema";
import { ask } from "./ask.server";
import { watchCampaign } from "./watch-campaign.server";
import { withDatabase } from "./with-database.server";

/** How many campaigns `newsletter status` lists. */
const LISTED_CAMPAIGNS = 20;

/** From here on it takes so long to write the mails that silence would worry. */
const LARGE_LIST = 20_000;

/** Different replies of the mail server that a status names. */
const LISTED_FAILURES = 5;

/** How long `newsletter test` waits for the site to send the mail, in milliseconds. */
const TEST_TIMEOUT_MS = 60_000;
const TEST_INTERVAL_MS = 250;

const NO_SITE =
  "No running site has been seen in the last 20 seconds; mail is sent while one runs.";

function print(line = ""): void {
  process.stdout.write(`${line}\n`);
}

/** On standard error, so that standard output holds the result alone. */
function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

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
  const addresses = options.to.map((address) => {
    const email = readEmail(address);
    if (email === null) throw new OperatorError(`'${address}' is not an e-mail address.`);
    return email;
  });
  await withDatabase(async () => {
    const issue = await readStoredIssue(file);
    await insertNewsletterImages(issue.images);
    const keys: string[] = [];
    for (const to of new Set(addresses)) {
      const key = `newsletter-test:${randomUUID()}`;
      const message = await renderTest(issue, to);
      await enqueueMail({ kind: "newsletter-test", to, message, idempotencyKey: key });
      keys.push(key);
    }
    if (!(await hasMailWorker())) note(NO_SITE);
    await awaitTestMails(keys);
  });
}

async function renderTest(issue: Issue, to: string) {
  const subscriber = await findSubscriberByEmail(to);
  // of an address that is not on the list, the link leads to the page but stands for nobody
  const token = subscriber?.unsubscribeToken ?? randomBytes(16).toString("base64url");
  const url = unsubscribeUrl(token);
  const content = contentOf(issue, (name) => env().PUBLIC_URL + IMAGES_PATH + name);
  return {
    subject: `Test: ${issue.subject}`,
    ...(await renderIssueMail(content, url)),
    headers: {
      "List-Unsubscribe": `<${url}>`,
      "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    },
  };
}

async function awaitTestMails(keys: string[]): Promise<void> {
  const deadline = Date.now() + TEST_TIMEOUT_MS;
  for (const key of keys) {
    for (;;) {
      const mail = await findMailByIdempotencyKey(key);
      if (!mail || mail.finishedAt) {
        if (mail?.state !== "sent") {
          throw new OperatorError(`The mail was not sent: ${mail?.lastReply ?? mail?.state}.`);
        }
        break;
      }
      if (Date.now() > deadline) {
        const reply = mail.lastReply ? `, last answer ${mail.lastReply}` : "";
        throw new OperatorError(
          `The mail is still in the queue after a minute${reply}. It is sent within the hour, or not at all.`,
        );
      }
      await pause(TEST_INTERVAL_MS);
    }
  }
  print(keys.length === 1 ? "Sent." : `${keys.length} mails sent.`);
}

export type SendCommandOptions = {
  to?: string;
  at?: string;
  rate?: string;
  dryRun?: boolean;
  yes?: boolean;
};

/**
 * `newsletter send`: says what would be sent to how many, asks, writes the issue and all its mails in one
 * transaction, and shows on a terminal how far the site is in sending them.
 */
export async function send(file: string, options: SendCommandOptions): Promise<void> {
  const startAt = options.at === undefined ? new Date() : parseStartTime(options.at, new Date());
  const rate = options.rate === undefined ? null : parseRate(options.rate);
  await withDatabase(async () => {
    const issue = await readStoredIssue(file);
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
        `They are sent from ${describeTime(startAt)}. Until then 'newsletter cancel ${issue.slug}' stops it.`,
      );
    }
    if (!(await hasMailWorker())) return note(NO_SITE);
    if (process.stderr.isTTY) await watchAndReport(campaign);
  });
}

/** An issue for members is never sent to others by an option that was forgotten. */
function audienceOf(issue: Issue, to: string | undefined): Audience {
  if (to === undefined) return issue.premium ? "premium" : "subscribers";
  if (to !== "subscribers" && to !== "premium") {
    throw new OperatorError(`--to: found '${to}', wanted subscribers or premium.`);
  }
  if (issue.premium && to === "subscribers") {
    throw new OperatorError(
      "--to subscribers: the file says 'premium: true', which is for members alone. Remove that line to send it to everybody.",
    );
  }
  return to;
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
  const content = contentOf(issue, (name) => env().PUBLIC_URL + IMAGES_PATH + name);
  const { html } = await renderIssueMail(content, unsubscribeUrl("x".repeat(22)));
  const { htmlBytes, warnings } = weighIssue(issue, html);
  const { recipients, suppressed, unconfirmed, unsubscribedMembers } = counts;
  const whom = audience === "premium" ? "members who have subscribed" : "subscribers";
  const page = env().PUBLIC_URL + issuePath(issue.slug);
  print(`Subject  ${issue.subject}`);
  print(`Preview  ${issue.preview}`);
  print(`Mail     ${describeSize(issue, htmlBytes)}`);
  print(
    `Page     ${page}${isForMembers(issue, audience) ? ", to others than members its beginning" : ""}`,
  );
  print(`To       ${shown(recipients)} ${whom}`);
  if (suppressed > 0)
    print(`         not to ${shown(suppressed)} whose address bounced or complained`);
  if (unconfirmed > 0) print(`         not to ${shown(unconfirmed)} who have not confirmed`);
  if (audience === "premium" && unsubscribedMembers > 0) {
    print(`         not to ${shown(unsubscribedMembers)} members who have not subscribed`);
  }
  print(`Start    ${startAt ? describeTime(startAt) : "now"}`);
  const perSecond = effectiveRate(rate);
  if (perSecond !== null) {
    const duration = describeDuration(recipients / perSecond);
    print(`Rate     at most ${perSecond} a second: it takes ${duration} or longer`);
  }
  for (const warning of warnings) note(`Note: ${warning}`);
}

/** Writes the campaign without a time limit on its statements, and says what was written. */
async function writeCampaign(
  issue: Issue,
  options: Parameters<typeof createCampaign>[1],
): Promise<Campaign> {
  const connection = getDatabase().reopen({ max: 1, statementTimeout: null });
  try {
    const outcome = await connection.db.transaction((tx) => createCampaign(issue, options, tx));
    const { campaign } = outcome;
    switch (outcome.kind) {
      case "created":
        print(`\n${shown(outcome.queued)} mails are queued.`);
        return campaign;
      case "extended":
        print(
          `\nThis issue was sent on ${describeTime(campaign.createdAt)}. ${shown(outcome.queued)} mails are queued to those who have not had it.`,
        );
        if (campaign.state === "paused") {
          note(`It is paused; 'newsletter resume ${campaign.slug}' sends them.`);
        }
        return campaign;
      case "slug-taken":
        throw new OperatorError(
          `Nothing was sent: another issue was sent as '${campaign.slug}' on ${describeTime(campaign.createdAt)}, with another ${outcome.differs.join(", ")}. Nobody gets a slug twice, so give this one its own.`,
        );
      case "cancelled":
        throw new OperatorError(
          `Nothing was sent: '${campaign.slug}' was cancelled, which is final. To send it after all, give it another slug; who had it already then gets it again.`,
        );
    }
  } finally {
    await connection.close();
  }
}

/** Asks for the slug to be typed; throws an OperatorError if it is not, or if there is nobody to ask. */
async function requireConfirmation(slug: string, what: string): Promise<void> {
  const answer = await ask(`\nType '${slug}' to ${what}:`);
  if (answer === null && !process.stdin.isTTY) {
    throw new OperatorError(`Nothing was done: without a terminal, add --yes to ${what}.`);
  }
  if (answer?.trim() !== slug) throw new OperatorError("Nothing was done.");
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
    if (campaigns.length === 0) print("No issue has been sent yet.");
    for (const campaign of campaigns) {
      const progress = await readCampaignProgress(campaign.id);
      const phase = campaignPhase({ campaign, progress, hasWorker, now: new Date() });
      print(
        [
          campaign.slug,
          campaign.startAt.toISOString().slice(0, 10),
          `${shown(progress.sent)} sent`,
          phase,
        ].join("\t"),
      );
    }
  });
}

async function watchAndReport({ id, slug }: Campaign): Promise<void> {
  const finished = await watchCampaign(id);
  if (!finished) {
    return note(`The site goes on sending. 'newsletter status ${slug}' shows how far it is.`);
  }
  const campaign = await findCampaignBySlug(slug);
  if (campaign) await report(campaign);
}

async function report(campaign: Campaign): Promise<void> {
  const [progress, failures, hasWorker] = await Promise.all([
    readCampaignProgress(campaign.id),
    findFailureReplies(campaign.id, LISTED_FAILURES),
    hasMailWorker(),
  ]);
  const lines = describeCampaign({ campaign, progress, failures, hasWorker, now: new Date() });
  for (const line of lines) print(line);
}

/** `newsletter pause`: stops sending an issue until it is resumed. */
export async function pauseIssue(slug: string): Promise<void> {
  await control(slug, () => pauseCampaign(slug));
}

/** `newsletter resume`: goes on sending a paused issue. */
export async function resumeIssue(slug: string): Promise<void> {
  await control(slug, () => resumeCampaign(slug));
}

/** `newsletter cancel`: gives up, for good, all mails of an issue that are not sent. */
export async function cancelIssue(slug: string, { yes = false }: { yes?: boolean }): Promise<void> {
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
  new OperatorError(
    `No issue has been sent as '${slug}'; 'newsletter status' lists those that were.`,
  );

/** Reads an issue whose images are to be served by the site. */
async function readStoredIssue(file: string): Promise<Issue> {
  return readIssue(file, await ensureSiteKey("newsletter-images"));
}

function describeSize({ images }: Issue, htmlBytes: number): string {
  const size = `${Math.ceil(htmlBytes / 1024)} KB`;
  if (images.length === 0) return size;
  const bytes = images.reduce((sum, { content }) => sum + content.byteLength, 0);
  return `${size}, and ${images.length === 1 ? "an image" : `${images.length} images`} of ${Math.ceil(bytes / 1024)} KB`;
}
