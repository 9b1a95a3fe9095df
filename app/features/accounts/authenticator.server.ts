import { Authenticator } from "remix-auth";
import { FormStrategy } from "remix-auth-form";
import { log } from "~/server/log.server";
import { findUserByEmail, insertUser, updatePasswordHash } from "~db/queries/users";
import { logInSchema, signUpSchema } from "./credentials";
import { hashPassword, needsRehash, verifyPassword } from "./password.server";

/** A user as the authenticator hands them on; an empty identities list means the address was taken. */
export type AuthenticatedUser = { id: string; email: string; identities?: { provider: "email" }[] };

/** Credentials that were refused, with the message the toast shows. */
export class CredentialsError extends Error {
  override name = "CredentialsError";
}

/** Says the same of an unknown address and of a wrong password. */
const WRONG_CREDENTIALS = "Invalid login credentials";

/**
 * Log in and sign up as remix-auth form strategies, named 'login' and 'signup'. `authenticate` throws a
 * CredentialsError for input that is refused; anything else it throws is a fault of the server.
 */
export const authenticator = new Authenticator<AuthenticatedUser>()
  .use(new FormStrategy(({ form }) => logIn(form)), "login")
  .use(new FormStrategy(({ form }) => signUp(form)), "signup");

async function logIn(form: FormData): Promise<AuthenticatedUser> {
  const parsed = logInSchema.safeParse(formFields(form));
  if (!parsed.success) throw new CredentialsError(firstProblem(parsed.error));
  const { email, password } = parsed.data;

  const user = await findUserByEmail(email);
  if (!(await verifyPassword(user?.passwordHash ?? null, password)) || !user) {
    throw new CredentialsError(WRONG_CREDENTIALS);
  }
  if (needsRehash(user.passwordHash)) {
    await updatePasswordHash(user.id, await hashPassword(password));
    log().info({ userId: user.id }, "password hash renewed under today's parameters");
  }
  return { id: user.id, email: user.email, identities: [{ provider: "email" }] };
}

/** A known address gives a user whose identities list is empty (specification, 5). */
async function signUp(form: FormData): Promise<AuthenticatedUser> {
  const parsed = signUpSchema.safeParse(formFields(form));
  if (!parsed.success) throw new CredentialsError(firstProblem(parsed.error));
  const { email, password } = parsed.data;

  const user = await insertUser({ email, passwordHash: await hashPassword(password) });
  if (!user) return { id: "", email, identities: [] };
  log().info({ userId: user.id }, "account created");
  return { id: user.id, email: user.email, identities: [{ provider: "email" }] };
}

/** A field sent twice stays an array, which no schema takes for a text. */
function formFields(form: FormData): Record<string, unknown> {
  return Object.fromEntries(
    ["email", "password"].map((name) => {
      const values = form.getAll(name);
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
}

function firstProblem(error: { issues: { message: string }[] }): string {
  return error.issues[0]?.message ?? "Something went wrong";
}
