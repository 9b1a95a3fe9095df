import { z } from "zod";
import { emailSchema } from "~/environment/email-address.server";
import { PASSWORD_MIN_LENGTH } from "./password-limits";

const passwordSchema = z.string("Please enter a password.");

/** A newly chosen password (specification, 5). Its length is counted as browsers do, an emoji as two. */
export const newPasswordSchema = passwordSchema.refine(
  (password) => password.length >= PASSWORD_MIN_LENGTH,
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
