import { z } from "zod";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./password-limits";

/**
 * An e-mail address under the rule browsers apply to `type=email`, trimmed and in lower case, because
 * an address counts once whatever its case. At most 254 characters (RFC 5321).
 */
export const emailSchema = z
  .string("Please enter your email address.")
  .transform((value) => value.trim().normalize("NFC").toLowerCase())
  .pipe(
    z
      .email({
        pattern: z.regexes.html5Email,
        error: "Unable to validate email address: invalid format",
      })
      .max(254, "Unable to validate email address: invalid format"),
  );

const passwordSchema = z
  .string("Please enter a password.")
  .max(PASSWORD_MAX_LENGTH, `Password should be at most ${PASSWORD_MAX_LENGTH} characters.`);

/** What log in takes. A short password is merely a wrong one there. */
export const logInSchema = z.object({
  email: emailSchema,
  password: passwordSchema.min(1, "Please enter a password."),
});

/** What sign up takes. */
export const signUpSchema = z.object({
  email: emailSchema,
  password: passwordSchema.min(
    PASSWORD_MIN_LENGTH,
    `Password should be at least ${PASSWORD_MIN_LENGTH} characters.`,
  ),
});

export type Credentials = z.infer<typeof signUpSchema>;
