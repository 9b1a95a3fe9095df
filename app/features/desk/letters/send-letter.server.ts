import { wakeMailWorker } from "~/features/mail/wake-mail-worker.server";
import { describeTime } from "~/features/newsletter/campaign-report";
import {
  audiencesOf,
  campaignLifetime,
  createCampaign,
  inSendingTransaction,
} from "~/features/newsletter/create-campaign.server";
import { formatCount } from "~/features/newsletter/format-count";
import { readStartTime } from "~/features/newsletter/send-options.server";
import type { FormRefusal } from "~/http/form-refusal";
import { type Audience, countAudience, findCampaignBySlug } from "~db/queries/campaigns";
import { deleteDraft } from "~db/queries/desk";
import type { Author } from "../author.server";
import { recordChange } from "../desk-log.server";
import { nameOf } from "./letter";
import { findLetter, readDraft } from "./letters.server";

/** To whom, and when: ISO 8601, in the server's time; "" for at once. */
export type Wish = { audience: string; at: string };

/** Says what would happen to a draft that is sent so; null if there is none. */
export async function planSending(id: string, { audience: wanted, at }: Wish) {
  const draft = await findLetter(id);
  if (!draft) return null;
  const { fields, issue, problems } = await readDraft(draft);
  const audiences = audiencesOf(fields);
  const audience: Audience = audiences.find((each) => each === wanted) ?? "premium";
  const startAt = at === "" ? new Date() : readStartTime(at, new Date());
  let refusal: FormRefusal | null = null;
  if (typeof startAt === "string") refusal = { message: `The time can’t be used: ${startAt}.` };
  if (problems.length > 0) refusal = { message: "Before it can be sent:", problems };
  return {
    name: nameOf(fields),
    slug: fields.slug,
    version: draft.version,
    issue,
    /** Why it cannot be sent so; null if it can. */
    refusal,
    audiences,
    audience,
    counts: await countAudience(audience),
    startAt: startAt instanceof Date ? startAt : new Date(),
    start: at === "" || typeof startAt === "string" ? "at once" : describeTime(startAt),
  };
}

/** Why a letter was not sent; thrown, so that its transaction leaves nothing. */
class NotSent extends Error {
  override name = "NotSent";
}

const otherNumber = (people: number) =>
  new NotSent(`It would go to ${formatCount(people)} people now. Type that number to send it.`);

/**
 * Sends the version of a draft that was looked at, if it goes to `people`, the number that the author typed. The letter's
 * mails are queued and its draft is deleted, both or neither, so that a second try finds it sent. Returns why not.
 */
export async function sendLetter(
  author: Author,
  id: string,
  { version, slug, people, ...wish }: Wish & { version: number; slug: string; people: number },
): Promise<string | null> {
  const plan = await planSending(id, wish);
  if (!plan?.issue || plan.version !== version) return whyChanged(id, slug);
  const { issue, audience, startAt, refusal, counts } = plan;
  if (refusal) return refusal.message;
  if (counts.recipients !== people) return otherNumber(counts.recipients).message;
  try {
    const isSent = await inSendingTransaction(async (tx) => {
      if (!(await deleteDraft({ id, version }, tx))) return false;
      const options = { audience, startAt, rate: null, lifetimeMs: campaignLifetime(people, null) };
      const outcome = await createCampaign(issue, options, tx);
      if (outcome.kind !== "created") {
        throw new NotSent(`A letter was sent as “${slug}” before. Give this one another slug.`);
      }
      // somebody may have subscribed or left since they were counted
      if (outcome.queued !== people) throw otherNumber(outcome.queued);
      const what = `Sent the letter “${issue.subject}” to ${formatCount(people)} people`;
      await recordChange(author, what, { executor: tx });
      return true;
    });
    if (!isSent) return whyChanged(id, slug);
  } catch (error) {
    if (error instanceof NotSent) return error.message;
    throw error;
  }
  wakeMailWorker();
  return null;
}

/** Why a letter that is not as it was is not sent; null if it was sent, as by the first press of a button that is pressed twice. */
async function whyChanged(id: string, slug: string): Promise<string | null> {
  const isSent = !(await findLetter(id)) && (await findCampaignBySlug(slug));
  return isSent ? null : "The letter was changed meanwhile. Please look at it again.";
}
