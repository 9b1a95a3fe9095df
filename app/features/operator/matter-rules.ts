const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What the operator is notified of (docs/operating.md). */
export const MATTER_KINDS = [
  "webhooks-refused",
  "webhooks-silent",
  "dispute",
  "mail-waiting",
  "mail-refused",
  "issue-paused",
  "disk-low",
  "backup-late",
  "crash-loop",
  "connections-low",
  "database-unreachable",
  "edition-not-taken",
] as const;

export type MatterKind = (typeof MATTER_KINDS)[number];

type MatterRules = {
  /** How long it has to last before the operator is told, in milliseconds. */
  reportAfterMs: number;
  /** How long all has to be well before it counts as mended, in milliseconds. */
  clearAfterMs: number;
  /** Whether it is reported only when it is over, because nothing can be mailed while it lasts. */
  isToldAfterwards?: boolean;
};

/**
 * How long each matter has to last. Those without a delay have one in their observation already
 * (`app/features/operator/shared-observations.ts`).
 */
export const MATTER_RULES: Record<MatterKind, MatterRules> = {
  "webhooks-refused": { reportAfterMs: 0, clearAfterMs: 0 },
  "webhooks-silent": { reportAfterMs: 0, clearAfterMs: 0 },
  dispute: { reportAfterMs: 0, clearAfterMs: 0 },
  "mail-waiting": { reportAfterMs: 0, clearAfterMs: 5 * MINUTE_MS, isToldAfterwards: true },
  "mail-refused": { reportAfterMs: 0, clearAfterMs: 0 },
  "issue-paused": { reportAfterMs: 0, clearAfterMs: 0 },
  "disk-low": { reportAfterMs: 5 * MINUTE_MS, clearAfterMs: 15 * MINUTE_MS },
  "backup-late": { reportAfterMs: 0, clearAfterMs: 0 },
  "crash-loop": { reportAfterMs: 0, clearAfterMs: 0 },
  "connections-low": { reportAfterMs: 5 * MINUTE_MS, clearAfterMs: 15 * MINUTE_MS },
  "database-unreachable": { reportAfterMs: 0, clearAfterMs: 0, isToldAfterwards: true },
  "edition-not-taken": { reportAfterMs: 24 * HOUR_MS, clearAfterMs: 0 },
};

/** The kind of a stored matter; null for one of a newer release. */
export function kindOf(text: string): MatterKind | null {
  return MATTER_KINDS.find((kind) => kind === text) ?? null;
}
