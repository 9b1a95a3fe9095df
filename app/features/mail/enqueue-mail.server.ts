import { log } from "~/observability/log.server";
import { db, type Executor, type Transaction } from "~db/client";
import { areMoreMailsQueued, insertMails } from "~db/queries/mails";
import type { RenderedMail } from "~db/schema";
import { MAIL_RULES, type MailKind } from "./mail-kinds";

/** A rendered mail to one address. */
export type OutgoingMail = {
  kind: MailKind;
  /** A bare address, as validated by `emailSchema`. */
  to: string;
  message: RenderedMail;
  /** At most one mail is ever queued per key. Name the event and its object, as in `renewal-failed:in_123`. */
  idempotencyKey?: string | null;
};

/** Kinds whose worker decides in the background whether there is anything to send, so timing reveals nothing. */
export type ComposedLaterKind = Extract<
  MailKind,
  "password-reset" | "sign-up-attempt" | "email-change"
>;

/**
 * Composes a queued mail for the address entered, in the transaction that stores it. Its link may afterward lead to
 * `leadsTo`. Returns null if there is nothing to send. Runs again from the start if the transaction fails.
 */
export type MailComposer = (
  email: string,
  tx: Transaction,
  leadsTo: string | null,
) => Promise<{ to: string; message: RenderedMail } | null>;

/** Queued transactional mails above which visitors' requests for mail are refused. */
export const MAX_QUEUED = 10_000;

/**
 * Queues a mail in the caller's transaction, so it is sent if and only if that commits. Returns false if a mail with
 * the same idempotency key was queued before. Call `wakeMailWorker` after the commit.
 */
export async function enqueueMail(mail: OutgoingMail, executor: Executor = db()): Promise<boolean> {
  return (await enqueueMails([mail], executor)) > 0;
}

/** As `enqueueMail`, for several mails in one statement; returns the number of queued ones. */
export function enqueueMails(mails: readonly OutgoingMail[], executor: Executor): Promise<number> {
  const rows = mails.map(({ kind, to, message, idempotencyKey = null }) => {
    const { priority, lifetimeMs } = MAIL_RULES[kind];
    return { kind, priority, lifetimeMs, recipient: to, message, idempotencyKey };
  });
  return insertMails(rows, executor);
}

/**
 * Queues an optional mail, such as a welcome. If the queue is full, or the mail cannot be composed or stored, it logs
 * and skips. Runs in a savepoint, so the caller's transaction continues.
 */
export async function enqueueDispensableMail(
  compose: () => Promise<OutgoingMail>,
  tx: Transaction,
): Promise<void> {
  try {
    await tx.transaction(async (savepoint) => {
      if (await isMailQueueFull(savepoint)) return;
      await enqueueMail(await compose(), savepoint);
    });
  } catch (error) {
    log().error(
      { err: error },
      "a mail could not be queued; what it was about is done all the same",
    );
  }
}

/**
 * Queues a mail for the worker to compose with the kind's `MailComposer`. The row is the same whether or not an
 * account exists. Call `wakeMailWorker` after the commit.
 */
export async function enqueueMailToCompose(
  { kind, email, leadsTo }: { kind: ComposedLaterKind; email: string; leadsTo?: string | null },
  executor: Executor = db(),
): Promise<void> {
  const { priority, lifetimeMs } = MAIL_RULES[kind];
  const mail = { kind, priority, lifetimeMs, recipient: email, leadsTo };
  await insertMails([{ ...mail, message: null, idempotencyKey: null }], executor);
}

/** Whether the queue is too long to accept visitors' requests for mail. Logs an error if so. */
export async function isMailQueueFull(executor: Executor = db()): Promise<boolean> {
  const isFull = await areMoreMailsQueued(MAX_QUEUED, executor);
  if (isFull) {
    log().error(
      { queued: MAX_QUEUED },
      "a mail was not taken: too many wait to be sent. Check the mail server named by SMTP_URL.",
    );
  }
  return isFull;
}
