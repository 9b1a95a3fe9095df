import { log } from "~/observability/log.server";
import { mails } from "~/observability/metrics.server";
import type { Database } from "~db/client";
import { isDatabaseUnavailable } from "~db/database-errors";
import {
  type ClaimedTransactionalMail,
  clearHardBounce,
  deleteMail,
  finishUnsentMail,
  lockClaimedMail,
  markMailSent,
  requeueMails,
  storeComposedMail,
} from "~db/queries/mail-claims";
import type { RenderedMail } from "~db/schema";
import type { CampaignLane, CampaignMail } from "./campaign-lane.server";
import { messageIdOf } from "./compose-message.server";
import { type DeliveryOutcome, judgeDelivery, type ServerVerdict } from "./delivery-outcome";
import type { ComposedLaterKind, MailComposer } from "./enqueue-mail.server";
import { MAIL_RULES, type MailKind } from "./mail-kinds";
import type { MailTransport, TransportedMail } from "./mail-transport";
import type { ResultRecorder } from "./result-recorder.server";
import { retryDelayMs } from "./retry-schedule";

/** Milliseconds after which an attempt is aborted, unless the whole message has been sent. */
const ABANDON_TRANSACTIONAL_MS = 60_000;
const ABANDON_CAMPAIGN_MS = 5 * 60_000;

/** Milliseconds until a retry when the database was unavailable for composing. */
const COMPOSE_AGAIN_MS = 1_000;

export type ClaimedMail = ClaimedTransactionalMail | CampaignMail;

export type MailComposers = Record<ComposedLaterKind, MailComposer>;

/** An attempt's verdict on the server, with codes and advice for the log. Null if nothing was attempted. */
export type ServerReport = { verdict: ServerVerdict; reply: string | null; advice: string | null };

type Content = Pick<TransportedMail, "to" | "date" | "content">;

type Services = {
  workerId: string;
  database: Database;
  recorder: ResultRecorder;
  composers: MailComposers;
  campaigns: CampaignLane;
};

/** Delivers claimed mails and records the results. */
export class MailDelivery {
  constructor(private readonly services: Services) {}

  /**
   * Composes the mail if necessary, delivers it, and resolves when the result is recorded. Calls `onAnswered` once
   * before that, when the connection is free again. Never throws.
   */
  async deliver(
    mail: ClaimedMail,
    transport: MailTransport,
    onAnswered: (report: ServerReport | null) => void,
  ): Promise<void> {
    const claimedAt = performance.now();
    const isCampaign = "campaignId" in mail;
    if (isCampaign && this.services.campaigns.isPaused(mail.campaignId)) {
      await this.#requeue(mail, { delayMs: 0, countsAttempt: false, reply: null });
      return onAnswered(null);
    }
    const content = (await this.#finishWithoutSending(mail)) ? null : await this.#contentOf(mail);
    if (!content) return onAnswered(null);
    const delivery = await transport.deliver({
      ...content,
      messageId: messageIdOf(mail.id),
      abandonAfterMs: isCampaign ? ABANDON_CAMPAIGN_MS : ABANDON_TRANSACTIONAL_MS,
    });
    if (delivery.kind === "accepted") {
      // recorded before anything else: a kill before the commit would send the mail twice
      const recorded = this.services.recorder.record((executor) => markMailSent(mail.id, executor));
      onAnswered({ verdict: "works", reply: null, advice: null });
      await recorded;
      return this.#afterAccepted(mail);
    }
    const outcome = judgeDelivery(
      delivery,
      { ...mail, expiresAt: claimedAt + mail.expiresInMs },
      performance.now(),
      Math.random(),
    );
    const advice = delivery.kind === "not-sent" ? delivery.advice : null;
    const recorded = this.#recordFailure(mail, outcome);
    // counted before the next mail begins, because this may pause the campaign
    const blocks = isCampaign ? this.#recordBlocks(mail.campaignId, outcome) : null;
    onAnswered({ verdict: outcome.server, reply: outcome.reply, advice });
    await recorded;
    await blocks;
  }

  /** Finishes a mail that must not be sent: it expired, is suppressed, or its recipient has left the list. */
  async #finishWithoutSending(mail: ClaimedMail): Promise<boolean> {
    const state = unsentStateOf(mail);
    if (!state) return false;
    const { recorder, workerId } = this.services;
    await recorder.record((executor) => finishUnsentMail(mail.id, workerId, { state }, executor));
    mails.inc({ lane: laneOf(mail), outcome: state });
    log()[state === "expired" ? "warn" : "info"](factsOf(mail), `a mail was not sent: ${state}`);
    return true;
  }

  /** Returns the content to send. Null if there is none now; the mail was requeued or deleted. */
  async #contentOf(mail: ClaimedMail): Promise<Content | null> {
    try {
      return "campaignId" in mail
        ? await this.#composeForSubscriber(mail)
        : await this.#composeTransactional(mail);
    } catch (error) {
      const isUnavailable = isDatabaseUnavailable(error);
      const delayMs = isUnavailable
        ? COMPOSE_AGAIN_MS
        : (retryDelayMs("refused", mail.attempts, Math.random()) ?? COMPOSE_AGAIN_MS);
      const message = "a mail could not be composed; it is tried again until it expires";
      log().error({ ...factsOf(mail), err: error, retryInMs: delayMs }, message);
      await this.#requeue(mail, { delayMs, countsAttempt: !isUnavailable, reply: "not composed" });
      return null;
    }
  }

  async #composeForSubscriber(mail: CampaignMail): Promise<Content> {
    const { email = "", unsubscribeToken } = mail.subscriber ?? {};
    if (!unsubscribeToken) throw new Error("This subscriber has no unsubscribe token yet.");
    const issue = await this.services.campaigns.issue(mail.campaignId);
    return { to: email, date: new Date(), content: issue.compose(unsubscribeToken) };
  }

  async #composeTransactional(mail: ClaimedTransactionalMail): Promise<Content | null> {
    const date = new Date(Date.now() - mail.ageMs);
    if (mail.message) return { to: mail.recipient, date, content: mail.message };
    const composed = await this.#composeAndStore(mail);
    return composed && { to: composed.to, date, content: composed.message };
  }

  /** Composes and stores in one transaction, so a link and its mail are stored together or not at all. */
  #composeAndStore({
    id,
    kind,
    recipient,
    leadsTo,
  }: ClaimedTransactionalMail): Promise<{ to: string; message: RenderedMail } | null> {
    const { database, workerId, composers } = this.services;
    return database.db.transaction(async (tx) => {
      if (!(await lockClaimedMail(id, workerId, tx))) return null;
      const compose = composers[kind as ComposedLaterKind];
      const composed = await compose(recipient, tx, leadsTo);
      if (composed) await storeComposedMail(id, composed, tx);
      else await deleteMail(id, tx);
      return composed;
    });
  }

  async #afterAccepted(mail: ClaimedMail): Promise<void> {
    mails.inc({ lane: laneOf(mail), outcome: "sent" });
    if ("campaignId" in mail) this.services.campaigns.recordUnblocked(mail.campaignId);
    log()["campaignId" in mail ? "debug" : "info"](factsOf(mail), "mail sent");
    if (!mail.isSuppressed) return;
    await this.services.recorder.record((executor) => clearHardBounce(mail.id, executor));
  }

  async #recordFailure(mail: ClaimedMail, { next, reply }: DeliveryOutcome): Promise<void> {
    if (next.kind === "retry") {
      const facts = { ...factsOf(mail), reply, retryInMs: next.delayMs };
      // while the server is unavailable, the circuit breaker logs once for all mails
      const level = next.delayMs === 0 ? "debug" : "warn";
      log()[level](facts, "a mail could not be sent yet");
      mails.inc({ lane: laneOf(mail), outcome: next.inDoubt ? "in-doubt" : "retried" });
      return this.#requeue(mail, { ...next, reply });
    }
    if (next.kind === "failed") {
      const { inDoubt, suppressAddress } = next;
      log().error({ ...factsOf(mail), reply, suppressAddress }, "a mail was given up");
      mails.inc({ lane: laneOf(mail), outcome: "failed" });
      const end = { state: "failed", reply, inDoubt, suppressAddress } as const;
      const { recorder, workerId } = this.services;
      await recorder.record((executor) => finishUnsentMail(mail.id, workerId, end, executor));
    }
  }

  async #recordBlocks(campaignId: string, { server, reply }: DeliveryOutcome): Promise<void> {
    const { recorder, campaigns } = this.services;
    if (server !== "blocks") return campaigns.recordUnblocked(campaignId);
    await recorder.record(async () => campaigns.recordBlocked(campaignId, reply));
  }

  #requeue(
    { id }: ClaimedMail,
    again: { delayMs: number; countsAttempt: boolean; inDoubt?: boolean; reply: string | null },
  ): Promise<void> {
    const { recorder, workerId } = this.services;
    return recorder.record((executor) =>
      requeueMails([id], workerId, { inDoubt: false, ...again }, executor),
    );
  }
}

function unsentStateOf(mail: ClaimedMail): "expired" | "cancelled" | "suppressed" | null {
  if (mail.expiresInMs <= 0) return "expired";
  if ("campaignId" in mail && !mail.subscriber) return "cancelled";
  const { ignoresSuppression = false } = MAIL_RULES[mail.kind as MailKind] ?? {};
  return mail.isSuppressed && !ignoresSuppression ? "suppressed" : null;
}

const laneOf = (mail: ClaimedMail) => ("campaignId" in mail ? "campaign" : "transactional");

const factsOf = ({ id, kind, attempts }: ClaimedMail) => ({ mailId: id, kind, attempts });
