import { createHmac } from "node:crypto";
import { type Executor, getDatabase } from "~db/client";
import { ensureSiteKey } from "~db/queries/site-keys";
import { findSubscribersWithoutToken, setUnsubscribeTokens } from "~db/queries/subscribers";

/** 132 of the HMAC's 256 bits in base64url, which nobody can guess. */
const TOKEN = /^[\w-]{22}$/;

/** Addresses that get their tokens in one statement. */
const BATCH = 1_000;

/**
 * The token of an address in unsubscribe links. It belongs to the address and not to its row, so a link works
 * forever, also after its owner left and subscribed again; it reveals nothing about the address.
 */
export async function unsubscribeTokenOf(email: string): Promise<string> {
  const [token = ""] = await unsubscribeTokensOf([email]);
  return token;
}

/** As `unsubscribeTokenOf`, for many addresses, in their order. */
export async function unsubscribeTokensOf(emails: string[]): Promise<string[]> {
  // not in a caller's transaction: one that is rolled back would take a new key with it
  const key = await ensureSiteKey("unsubscribe");
  return emails.map((email) =>
    createHmac("sha256", key).update(email.toLowerCase()).digest("base64url").slice(0, 22),
  );
}

/** Whether something has the form of a token; any such link may be of an address that has left. */
export function isUnsubscribeToken(token: unknown): token is string {
  return typeof token === "string" && TOKEN.test(token);
}

/** Gives tokens to the subscribers that an earlier version of the program has stored without. Idempotent. */
export async function fillUnsubscribeTokens(executor: Executor = getDatabase().db): Promise<void> {
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
