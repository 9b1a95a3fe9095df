import { log } from "~/observability/log.server";
import { confirmSubscriber } from "~db/queries/subscribers";
import { readSubscriberToken } from "./subscriber-token.server";

/** The outcome of a confirmation link: confirmed, invalid, or failed and to be retried. */
export type ConfirmOutcome =
  | { kind: "confirmed" | "invalid-link" }
  | { kind: "failed"; subscriberId: string };

/** Confirms the address of a token's subscriber. Idempotent. */
export async function confirmSubscription(token: unknown): Promise<ConfirmOutcome> {
  const id = readSubscriberToken("confirm", token);
  if (!id) return { kind: "invalid-link" };
  try {
    if (!(await confirmSubscriber(id, new Date()))) return { kind: "invalid-link" };
    log().info({ subscriberId: id }, "newsletter address confirmed");
    return { kind: "confirmed" };
  } catch (error) {
    log().error({ err: error }, "newsletter confirmation failed");
    return { kind: "failed", subscriberId: id };
  }
}
