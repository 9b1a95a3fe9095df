import type { FailedMails } from "~db/queries/failed-mails";
import type { QueueLength } from "~db/queries/mail-history";

type Facts = {
  queue: QueueLength;
  /** Transactional mails waiting or being sent, by kind. */
  waiting: readonly { kind: string; count: number }[];
  failed: readonly FailedMails[];
  /** The period covered by `failed`, in days. */
  days: number;
};

/** Describes the mail queue for the operator, one fact per line. Contains no addresses. */
export function describeMailQueue({ queue, waiting, failed, days }: Facts): string[] {
  const minutes = Math.round(queue.longestWaitS / 60);
  const retryable = failed.reduce((sum, mails) => sum + mails.retryable, 0);
  return [
    `To be sent  ${queue.transactional}${minutes > 0 ? `, due for up to ${minutes} min` : ""}`,
    ...waiting.map(({ kind, count }) => `            ${count} ${kind}`),
    `Newsletter  ${queue.campaign}`,
    `Failed      ${failed.reduce((sum, { count }) => sum + count, 0)} in ${days} days`,
    ...failed.map(describeFailure),
    ...(retryable > 0 ? ["'mail retry' sends again what can be."] : []),
  ];
}

function describeFailure({ kind, reply, count, retryable }: FailedMails): string {
  const can = retryable === count ? "can be sent again" : `${retryable} can be sent again`;
  return `            ${count} ${kind} with ${reply ?? "no answer"}: ${retryable === 0 ? "over" : can}`;
}
