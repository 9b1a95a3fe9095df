import { createHmac } from "node:crypto";
import { db, type Executor } from "~db/client";
import { ensureSiteKey } from "~db/queries/site-keys";
import { findSubscribersWithoutToken, setUnsubscribeTokens } from "~db/queries/subscribers";

/** 132 of the HMAC's 256 bits in base64url, which is enough to be unguessable. */
const TOKEN = /^[\w-]{22}$/;

/** Addresses per statement. */
const BATCH = 1_000;

/**
 * Returns an address's token for unsubscribe links. It belongs to the address, not the row, so a link works forever,
 * even after its owner resubscribes. It reveals nothing about the address.
 */
export async function unsubscribeTokenOf(email: string): Promise<string> {
  const [token = ""] = await unsubscribeTokensOf([email]);
  return token;
}

/** Like `unsubscribeTokenOf`, for many addresses, in the same order. */
export async function unsubscribeTokensOf(emails: string[]): Promise<string[]> {
  // outside the caller's transaction, because a rollback would discard a new key
  const key = await ensureSiteKey("unsubscribe");
  return emails.map((email) =>
    createHmac("sha256", key).update(email.toLowerCase()).digest("base64url").slice(0, 22),
  );
}

/** Whether a value has the form of a token. The address may since have left the list. */
export function isUnsubscribeToken(token: unknown): token is string {
  return typeof token === "string" && TOKEN.test(token);
}

/** Adds tokens to subscribers that an earlier release stored without one. Idempotent. */
export async function fillUnsubscribeTokens(executor: Executor = db()): Promise<void> {
  let afterId: string | null = null;
  for (;;) {
    const found = await findSubscribersWithoutToken({ afterId, limit: BATCH }, executor);
    if (found.length === 0) return;
    const tokens = await unsubscribeTokensOf(found.map(({ email }) => email));
    await setUnsubscribeTokens(
      found.map(({ id }, index) => ({ id, token: tokens[index] ?? "" })),
      executor,
    );
    if (found.length < BATCH) return;
    afterId = found.at(-1)?.id ?? null;
  }
}
