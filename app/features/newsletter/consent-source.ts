import { z } from "zod";

/** The longest description of where a list comes from, in characters. */
const MAX_LENGTH = 200;

/**
 * Where the owners of imported addresses agreed to get the newsletter, in the operator's words: one line, as proof
 * of their consent (GDPR, article 7).
 */
export const consentSourceSchema = z
  .string()
  .trim()
  .min(1, "it is empty")
  .max(MAX_LENGTH, `it is longer than ${MAX_LENGTH} characters`)
  .regex(/^\P{C}*$/u, "it holds control characters");
