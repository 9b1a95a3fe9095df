import { z } from "zod";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./password-limits";

/** The longest address that mail can be sent to, in characters (RFC 5321, 4.5.3.1.3). */
const EMAIL_MAX_LENGTH = 254;

/** How much whitespace may surround an address; longer input is rejected before it is trimmed. */
const EMAIL_MAX_PADDING = 100;

const INVALID_EMAIL = "Unable to validate email address: invalid format";

/**
 * Validates an email address by the browsers' rule for `type=email` and returns its canonical form, trimmed and in
 * lower case. Look-up, uniqueness and rate limits use that form. The output is ASCII, so Unicode variants of an
 * address become equal or are rejected.
 */
export const emailSchema = z
  .string("Please enter your email address.")
  .max(EMAIL_MAX_LENGTH + EMAIL_MAX_PADDING, { error: INVALID_EMAIL, abort: true })
  .transform((value) => value.trim().normalize("NFC").toLowerCase())
  .pipe(
    z
      .string()
      .max(EMAIL_MAX_LENGTH, { error: INVALID_EMAIL, abort: true })
      .regex(z.regexes.html5Email, INVALID_EMAIL),
  );

/** Returns an email field's address in canonical form; null if `emailSchema` rejects it. */
export function readEmail(field: unknown): string | null {
  return emailSchema.safeParse(field).data ?? null;
}

const passwordSchema = z
  .string("Please enter a password.")
  .max(PASSWORD_MAX_LENGTH, `Password should be at most ${PASSWORD_MAX_LENGTH} characters.`);

/** A newly chosen password (specification, 5). */
export const newPasswordSchema = passwordSchema.min(
  PASSWORD_MIN_LENGTH,
  `Password should be at least ${PASSWORD_MIN_LENGTH} characters.`,
);

/** Input of log in; a short password is merely wrong. */
export const logInSchema = z.object({
  email: emailSchema,
  password: passwordSchema.min(1, "Please enter a password."),
});

/** Input of sign up. */
export const signUpSchema = z.object({ email: emailSchema, password: newPasswordSchema });

export type Credentials = z.infer<typeof signUpSchema>;

/** Returns the first validation error's message, for a toast. */
export function firstProblem(error: z.ZodError): string {
  return error.issues[0]?.message ?? "Something went wrong";
}
