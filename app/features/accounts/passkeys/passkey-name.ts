import { z } from "zod";
import { PASSKEY_NAME_MAX_LENGTH } from "./passkey-name-limit";

/** A passkey's name as its owner types it, without the spaces around it. */
export const passkeyNameSchema = z
  .string("Please enter a name for the passkey.")
  .trim()
  .min(1, "Please enter a name for the passkey.")
  .max(
    PASSKEY_NAME_MAX_LENGTH,
    `Please choose a name of at most ${PASSKEY_NAME_MAX_LENGTH} characters.`,
  )
  // PostgreSQL cannot store U+0000, and no name needs the other control characters
  .regex(/^\P{Cc}*$/u, "Please choose a name without control characters.");
