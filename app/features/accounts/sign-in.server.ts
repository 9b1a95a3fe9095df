import { clientNetworks } from "~/http/client-network.server";
import { QueueFull } from "~/http/fair-queue.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import {
  type AuthenticatedUser,
  authenticator,
  CredentialsError,
  credentialsRequest,
  type SentCredentials,
  WRONG_CREDENTIALS,
} from "./authenticator.server";
import { readEmail } from "./credentials";
import { renewHash } from "./renew-hash.server";
import { openSession } from "./sessions.server";
import { notifySignUpAttempt } from "./sign-up-notice.server";

/** What is known of the browser in which somebody signs in. */
export type SigningBrowser = {
  clientAddress: string | undefined;
  /** The token of the session it has already, which a new one replaces. */
  session: string | null;
  /** Its id, if it has signed in to this very account before (`findKnownBrowser`). */
  knownBrowser: string | null;
};

/** How an attempt to log in ended. */
export type LogInOutcome =
  /** `session` is the token of the session that was opened. */
  | { kind: "signed-in"; email: string; session: string }
  /** The credentials are not right; `message` says what about them. */
  | { kind: "refused"; message: string }
  /** Too many passwords are waiting to be hashed. */
  | { kind: "busy" }
  | { kind: "failed" };

/** How an attempt to sign up ended: as log in may, or the address has an account. */
export type SignUpOutcome = LogInOutcome | { kind: "taken" };

/** Opens a session for whose credentials these are (specification, 4). Never throws. */
export async function logIn(
  credentials: SentCredentials,
  browser: SigningBrowser,
): Promise<LogInOutcome> {
  try {
    const { user, session } = await authenticateAndOpenSession("login", credentials, browser);
    logSecurityEvent("signed-in", factsOf(user, browser), "signed in");
    return { kind: "signed-in", email: user.email, session };
  } catch (error) {
    return failureOf("login", error, browser);
  }
}

/**
 * Makes an account of these credentials and opens a session for it (specification, 4). The owner of an
 * address that has one is told by mail. Never throws.
 */
export async function signUp(
  credentials: SentCredentials,
  browser: SigningBrowser,
): Promise<SignUpOutcome> {
  try {
    const { user, session } = await authenticateAndOpenSession("signup", credentials, browser);
    logSecurityEvent("signed-up", factsOf(user, browser), "signed up");
    return { kind: "signed-in", email: user.email, session };
  } catch (error) {
    if (!(error instanceof AddressTaken)) return failureOf("signup", error, browser);
    const facts = { network: networkOf(browser) };
    logSecurityEvent("sign-up-with-taken-address", facts, "sign up with a known address");
    const email = readEmail(credentials.email);
    if (email) notifySignUpAttempt(email);
    return { kind: "taken" };
  }
}

type Way = "login" | "signup";

class AddressTaken extends Error {}

/**
 * The user behind the credentials and the token of their session. Throws as `authenticator` does, and
 * AddressTaken when a sign-up named an address that has an account.
 */
async function authenticateAndOpenSession(
  way: Way,
  credentials: SentCredentials,
  { clientAddress, session: before }: SigningBrowser,
): Promise<{ user: AuthenticatedUser; session: string }> {
  // a second time when the hash was replaced under the first: it may be another one of the same password
  for (let attempt = 1; attempt <= 2; attempt++) {
    const user = await authenticator.authenticate(
      way,
      credentialsRequest(credentials, clientAddress),
    );
    if (user.identities?.length === 0) throw new AddressTaken();
    const session = await openSession(user, before);
    if (!session) continue;
    if (way === "login") await renewHash(user, credentials.password, clientNetworks(clientAddress));
    return { user, session };
  }
  throw new CredentialsError(WRONG_CREDENTIALS);
}

function failureOf(way: Way, error: unknown, browser: SigningBrowser): LogInOutcome {
  if (error instanceof CredentialsError) {
    const facts = { way, userId: error.userId, network: networkOf(browser) };
    logSecurityEvent("sign-in-failed", facts, "sign in refused");
    return { kind: "refused", message: error.message };
  }
  if (error instanceof QueueFull) return { kind: "busy" };
  log().error({ err: error }, `${way} failed`);
  return { kind: "failed" };
}

function factsOf({ id }: AuthenticatedUser, browser: SigningBrowser) {
  return {
    userId: id,
    network: networkOf(browser),
    knownBrowser: browser.knownBrowser !== null,
  };
}

const networkOf = ({ clientAddress }: SigningBrowser) => clientNetworks(clientAddress).narrow;
