import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { describeTime } from "~/features/newsletter/campaign-report";
import {
  audiencesOf,
  campaignLifetime,
  createCampaign,
  inSendingTransaction,
} from "~/features/newsletter/create-campaign.server";
import { formatCount } from "~/features/newsletter/format-count";
import { weighIssue } from "~/features/newsletter/preview-issue.server";
import { readStartTime } from "~/features/newsletter/send-options.server";
import type { FormRefusal } from "~/http/form-refusal";
import { OperatorError } from "~db/operator-error";
import { type Audience, countAudience, findCampaignBySlug } from "~db/queries/campaigns";
import { deleteDraft } from "~db/queries/desk";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { nameOf } from "./letter";
import { findLetter, readDraft, renderDraft } from "./letters.server";

/** To whom, and when: ISO 8601, in the server's time; "" for at once. */
export type Sending = { audience: string; at: string };

/** Says what would happen to a draft that is sent so; null if there is none. */
export async function planSending(id: string, { audience: wanted, at }: Sending) {
  const draft = await findLetter(id);
  if (!draft) return null;
  const { fields, issue, problems } = await readDraft(draft);
  const audiences = audiencesOf(fields);
  const audience: Audience = audiences.find((each) => each === wanted) ?? "premium";
  const time = at === "" ? new Date() : readStartTime(at, new Date());
  const startAt = typeof time === "string" ? new Date() : time;
  let refusal: FormRefusal | null = null;
  if (typeof time === "string") refusal = { message: `The time can’t be used: ${time}.` };
  if (problems.length > 0) refusal = { message: "Before it can be sent:", problems };
  return {
    name: nameOf(fields),
    slug: fields.slug,
    version: draft.version,
    issue,
    /** Why it cannot be sent so; null if it can. */
    refusal,
    /** What does not prevent sending. */
    warnings: issue ? weighIssue(issue, (await renderDraft(issue, id)).html).warnings : [],
    audiences,
    audience,
    counts: await countAudience(audience),
    startAt,
    start: at === "" ? "at once" : describeTime(startAt),
  };
}

/** Throws an OperatorError unless an author has typed the number of people that a letter goes to. */
function requireNumber(people: number, typed: number): void {
  if (people === typed) return;
  const message = `It would go to ${formatCount(people)} people now. Type that number to send it.`;
  throw new OperatorError(message);
}

/**
 * Sends the version of a draft that was looked at, if it goes to `people`, the number that the author typed. The letter's
 * mails are queued and its draft is deleted, both or neither, so that a second try finds it sent. Throws an OperatorError that
 * says why it was not sent.
 */
export async function sendLetter(
  author: Author,
  id: string,
  {
    version,
    slug,
    people,
    ...sending
  }: Sending & { version: number; slug: string; people: number },
): Promise<void> {
  const plan = await planSending(id, sending);
  if (!plan?.issue || plan.version !== version) return requireSent(id, slug);
  const { issue, audience, startAt, refusal, counts } = plan;
  if (refusal) throw new OperatorError(refusal.message);
  requireNumber(counts.recipients, people);
  const isSent = await inSendingTransaction(async (tx) => {
    if (!(await deleteDraft({ id, version }, tx))) return false;
    const options = { audience, startAt, rate: null, lifetimeMs: campaignLifetime(people, null) };
    const outcome = await createCampaign(issue, options, tx);
    if (outcome.kind !== "created") {
      throw new OperatorError(`A letter was sent as “${slug}” before. Give this one another slug.`);
    }
    // somebody may have subscribed or left since they were counted
    requireNumber(outcome.queued, people);
    const what = `Sent the letter “${issue.subject}” to ${formatCount(people)} people`;
    await recordChange(author, what, { executor: tx });
    return true;
  });
  if (!isSent) return requireSent(id, slug);
  wakeMailWorker();
}

/** Throws an OperatorError for a letter that is not as it was, unless it was sent: a button can be pressed twice. */
async function requireSent(id: string, slug: string): Promise<void> {
  if (!(await findLetter(id)) && (await findCampaignBySlug(slug))) return;
  throw new OperatorError("The letter was changed meanwhile. Please look at it again.");
}
