import { z } from "zod";

/** Maximum length of a description of a list's source, in characters. */
const MAX_LENGTH = 200;

/**
 * Validates the operator's description of where imported subscribers consented. One line, stored as proof of consent
 * (GDPR, article 7).
 */
export const consentSourceSchema = z
  .string()
  .trim()
  .min(1, "it is empty")
  .max(MAX_LENGTH, `it is longer than ${MAX_LENGTH} characters`)
  .regex(/^\P{C}*$/u, "it holds control characters");
