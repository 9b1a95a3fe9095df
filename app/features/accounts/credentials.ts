import { z } from "zod";
import { emailSchema } from "~/environment/email-address.server";
import { PASSWORD_MAX_LENGTH, PASSWORD_MIN_LENGTH } from "./password-limits";

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
