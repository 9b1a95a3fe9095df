import type { MatterFacts } from "~db/queries/operator-matters";
import type { OperatorMatter } from "~db/schema";
import { MATTER_RULES, type MatterKind } from "./matter-rules";

/** What a check has found about one thing that can go wrong. "unknown" leaves everything as it is. */
export type Observation = {
  kind: MatterKind;
  key: string;
  state: "bad" | "good" | "unknown";
  facts: MatterFacts;
};

/** What follows from an observation for the stored matter. */
export type MatterStep =
  | { kind: "none" }
  | { kind: "open" }
  /** Goes on: with newer facts, and not on its way to being mended. */
  | { kind: "keep" }
  /** Is well for the first time, but not for long enough yet. */
  | { kind: "wait" }
  | { kind: "clear" }
  /** Is over before anybody was told. */
  | { kind: "forget" };

/** How often it is recorded that a matter continues, in milliseconds. */
const SEEN_EVERY_MS = 60 * 60 * 1000;

/**
 * Decides what follows from an observation. A brief failure between two good observations is not reported,
 * and a brief recovery between two bad ones does not end a matter.
 */
export function judgeMatter(
  matter: Pick<OperatorMatter, "seenAt" | "goodSince" | "reportedAt" | "facts"> | null,
  { kind, state }: Pick<Observation, "kind" | "state">,
  now: Date,
): MatterStep {
  if (state === "unknown") return { kind: "none" };
  if (state === "bad") {
    if (!matter) return { kind: "open" };
    const isDue = now.getTime() - matter.seenAt.getTime() >= SEEN_EVERY_MS;
    return { kind: matter.goodSince || isDue ? "keep" : "none" };
  }
  if (!matter) return { kind: "none" };
  // nobody was told, and nobody is to be told of what is well already
  if (!matter.reportedAt) return { kind: "forget" };
  const { clearAfterMs } = MATTER_RULES[kind];
  const goodSince = matter.goodSince ?? now;
  if (now.getTime() - goodSince.getTime() < clearAfterMs) {
    return { kind: matter.goodSince ? "none" : "wait" };
  }
  return { kind: "clear" };
}
