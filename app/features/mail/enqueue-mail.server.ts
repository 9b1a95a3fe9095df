import { log } from "~/observability/log.server";
import { type Executor, getDatabase, type Transaction } from "~db/client";
import { areMoreMailsQueued, insertMail } from "~db/queries/mails";
import type { RenderedMail } from "~db/schema";
import { MAIL_RULES, type MailKind } from "./mail-kinds";

/** A rendered mail to one address. */
export type OutgoingMail = {
  kind: MailKind;
  /** A bare address, as validated by `emailSchema`. */
  to: string;
  message: RenderedMail;
  /** At most one mail is ever queued per key; say what happened and to what: `renewal-failed:in_123`. */
  idempotencyKey?: string | null;
};

/** Kinds whose worker looks up in the background whether there is anything to send, so that timing reveals nothing. */
export type ComposedLaterKind = Extract<
  MailKind,
  "password-reset" | "sign-up-attempt" | "email-change"
>;

/**
 * Composes a queued mail to the address that was entered, in the transaction that stores it; null if there is
 * nothing to send. Runs again, from the start, if the transaction fails.
 */
export type MailComposer = (
  email: string,
  tx: Transaction,
) => Promise<{ to: string; message: RenderedMail } | null>;

/** Transactional mails in the queue above which visitors get no further ones. */
export const MAX_QUEUED = 10_000;

/**
 * Queues a mail in the caller's transaction, so that it is sent if and only if that commits; false if one with its
 * idempotency key was queued before. Call `wakeMailWorker` after the commit.
 */
export async function enqueueMail(
  { kind, to, message, idempotencyKey = null }: OutgoingMail,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const { priority, lifetimeMs } = MAIL_RULES[kind];
  const mail = { kind, priority, lifetimeMs, recipient: to, message, idempotencyKey };
  return (await insertMail(mail, executor)) !== null;
}

/**
 * Queues a mail that its cause can do without, such as a welcome: nothing, and a log line, if too many mails wait
 * already, or if it cannot be composed or stored. In a savepoint, so that the caller's transaction goes on.
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
 * Queues a mail that the worker composes with the kind's `MailComposer`. The row is the same whether or not there
 * is an account. Call `wakeMailWorker` after the commit.
 */
export async function enqueueMailToCompose(
  { kind, email }: { kind: ComposedLaterKind; email: string },
  executor: Executor = getDatabase().db,
): Promise<void> {
  const { priority, lifetimeMs } = MAIL_RULES[kind];
  await insertMail(
    { kind, priority, lifetimeMs, recipient: email, message: null, idempotencyKey: null },
    executor,
  );
}

/** Whether so much mail waits, with a log line, that visitors' requests for more have to be turned away. */
export async function isMailQueueFull(executor: Executor = getDatabase().db): Promise<boolean> {
  const isFull = await areMoreMailsQueued(MAX_QUEUED, executor);
  if (isFull) {
    log().error(
      { queued: MAX_QUEUED },
      "a mail was not taken: too many wait to be sent. Check the mail server named by SMTP_URL.",
    );
  }
  return isFull;
}
