import type { SuppressionReason } from "~db/schema";

/** Why an address gets no newsletter and no notices, in words for the operator. */
export const SUPPRESSION_REASONS: Record<SuppressionReason, string> = {
  "hard-bounce": "mail to it is refused for good",
  complaint: "its owner complained",
  listed: "it is listed as undeliverable",
};
