import { z } from "zod";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./password-limits";

/** The longest address that mail can be sent to, in characters (RFC 5321, 4.5.3.1.3). */
const EMAIL_MAX_LENGTH = 254;

/** How much space may be pasted around an address; more is not worth the work of trimming it. */
const EMAIL_MAX_PADDING = 100;

const INVALID_EMAIL = "Unable to validate email address: invalid format";

/**
 * An e-mail address under the rule browsers apply to `type=email`, in the one form in which accounts are
 * looked up, kept unique and limited: trimmed and in lower case. What it lets through is ASCII, so two
 * spellings of an address that differ in Unicode either become the same text here or are refused.
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

/** An e-mail field's address as accounts have it; null for what `emailSchema` refuses. */
export function readEmail(field: unknown): string | null {
  return emailSchema.safeParse(field).data ?? null;
}

const passwordSchema = z
  .string("Please enter a password.")
  .max(PASSWORD_MAX_LENGTH, `Password should be at most ${PASSWORD_MAX_LENGTH} characters.`);

/** A password that somebody chooses (specification, 5). */
export const newPasswordSchema = passwordSchema.min(
  PASSWORD_MIN_LENGTH,
  `Password should be at least ${PASSWORD_MIN_LENGTH} characters.`,
);

/** What log in takes. A short password is merely a wrong one there. */
export const logInSchema = z.object({
  email: emailSchema,
  password: passwordSchema.min(1, "Please enter a password."),
});

/** What sign up takes. */
export const signUpSchema = z.object({ email: emailSchema, password: newPasswordSchema });

export type Credentials = z.infer<typeof signUpSchema>;

/** What a schema has against its input, in the words a toast shows. */
export function firstProblem(error: z.ZodError): string {
  return error.issues[0]?.message ?? "Something went wrong";
}
