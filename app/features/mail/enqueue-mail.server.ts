import { type Executor, getDatabase, type Transaction } from "~db/client";
import { insertMail, insertUncomposedMail } from "~db/queries/mails";
import type { RenderedMail } from "~db/schema";
import { MAIL_RULES, type MailKind } from "./mail-kinds";

/** A rendered mail to one address. */
export type OutgoingMail = {
  kind: MailKind;
  /** A bare address, as validated by `emailSchema`. */
  to: string;
  message: RenderedMail;
  /** At most one mail is ever queued per key; say what happened and to what: `renewal-failed:in_123`. */
  idempotencyKey?: string;
};

/** Kinds whose worker looks up in the background whether there is anything to send, so that timing reveals nothing. */
export type ComposedLaterKind = Extract<MailKind, "password-reset" | "sign-up-attempt">;

/**
 * Composes a queued mail to the address that was entered, in the transaction that stores it; null if there is
 * nothing to send. Runs again, from the start, if the transaction fails.
 */
export type MailComposer = (
  email: string,
  tx: Transaction,
) => Promise<{ to: string; message: RenderedMail } | null>;

/** Maximum transactional mails in the queue before requests for further ones are turned away. */
const MAX_QUEUED = 10_000;

/**
 * Queues a mail in the caller's transaction, so that it is sent if and only if that commits; false if one with its
 * idempotency key was queued before. Call `wakeMailWorker` after the commit.
 */
export async function enqueueMail(
  { kind, to, message, idempotencyKey }: OutgoingMail,
  executor: Executor = getDatabase().db,
): Promise<boolean> {
  const { priority, lifetimeMs } = MAIL_RULES[kind];
  const id = await insertMail(
    { kind, priority, lifetimeMs, recipient: to, message, idempotencyKey: idempotencyKey ?? null },
    executor,
  );
  return id !== null;
}

/**
 * Queues a mail that the worker composes with the kind's `MailComposer`. The row is the same whether or not there
 * is an account. "busy", with nothing written, while too many mails are queued. Call `wakeMailWorker` afterwards.
 */
export async function enqueueMailToCompose(
  { kind, email }: { kind: ComposedLaterKind; email: string },
  executor: Executor = getDatabase().db,
): Promise<"queued" | "busy"> {
  const { priority, lifetimeMs } = MAIL_RULES[kind];
  const id = await insertUncomposedMail(
    { kind, priority, lifetimeMs, recipient: email },
    MAX_QUEUED,
    executor,
  );
  return id === null ? "busy" : "queued";
}
