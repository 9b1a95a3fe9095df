import { log } from "~/observability/log.server";
import { confirmSubscriber } from "~db/queries/subscribers";
import { readSubscriberToken } from "./subscriber-token.server";

/** What became of a confirmation link: used, worth nothing (any more), or kept for another try. */
export type ConfirmOutcome =
  | { kind: "confirmed" | "invalid-link" }
  | { kind: "failed"; subscriberId: string };

/** Makes the address of a token's holder count. Confirming twice is as good as once. */
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
