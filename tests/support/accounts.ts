import { findSessionViewer, setSession } from "~/features/accounts/sessions.server";
import { signUp } from "~/features/accounts/sign-in.server";
import type { SignedIn } from "~/features/accounts/verify-identity.server";
import { ORIGIN } from "./routes";

/** A browser without a session that has never signed in. */
export const NEW_BROWSER = {
  clientAddress: undefined,
  session: null,
  knownBrowser: null,
  userAgent: null,
};

export const PASSWORD = "a long walk";

/** A signed-in account, with the token of its session. */
export type Account = SignedIn & { email: string; token: string };

let count = 0;
export const newAddress = () => `walker-${++count}-${Date.now()}@example.test`;

/** Creates an account with that password, signed in. */
export async function newAccount(email = newAddress()): Promise<Account> {
  const outcome = await signUp({ email, password: PASSWORD }, NEW_BROWSER);
  if (outcome.kind !== "signed-in") throw new Error(outcome.kind);
  return accountOf(outcome.session, email);
}

/** The account of a session. */
export async function accountOf(token: string, email: string): Promise<Account> {
  const Cookie = (await setSession(token)).split(";")[0] ?? "";
  const found = await findSessionViewer(new Request(ORIGIN, { headers: { Cookie } }));
  if (!found) throw new Error("There is no session.");
  const { tokenHash, session } = found;
  return { userId: found.user.id, tokenHash, session, email, token };
}
