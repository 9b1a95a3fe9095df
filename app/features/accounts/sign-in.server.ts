import { readEmail } from "~/environment/email-address.server";
import { QueueFull } from "~/http/bounded-queue.server";
import { type ClientNetworks, clientNetworks } from "~/http/client-network.server";
import { log } from "~/observability/log.server";
import { logSecurityEvent } from "~/observability/security-log.server";
import { replacePasswordHash } from "~db/queries/users";
import {
  type AuthenticatedUser,
  authenticate,
  CredentialsError,
  type SentCredentials,
  type Way,
  WRONG_CREDENTIALS,
} from "./authenticator.server";
import { hashPassword, needsRehash } from "./password.server";
import { openSession, type VerifiedUser } from "./sessions.server";
import { notifySignUpAttempt } from "./sign-up-notice.server";

/** The browser from which a user signs in. */
export type SigningBrowser = {
  clientAddress: string | undefined;
  /** The token of its current session, which the new one replaces. */
  session: string | null;
  /** Its id if it has signed in to this account before (`findKnownBrowser`). */
  knownBrowser: string | null;
  userAgent: string | null;
};

/** The outcome of logging in. */
export type LogInOutcome =
  /** `session` is the new session's token. */
  | { kind: "signed-in"; email: string; session: string }
  /** The credentials were rejected; `message` says why. */
  | { kind: "rejected"; message: string }
  /** Too many passwords are queued for hashing. */
  | { kind: "busy" }
  | { kind: "failed" };

/** The outcome of signing up: as for log in, or "taken" if the email address already has an account. */
export type SignUpOutcome = LogInOutcome | { kind: "taken" };

/** Verifies the credentials and opens a session (specification, 4). Never throws. */
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
 * Creates an account and opens a session for it (specification, 4). If the email address already has an account,
 * its owner is notified by mail. Never throws.
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
    if (email) await notifySignUpAttempt(email);
    return { kind: "taken" };
  }
}

class AddressTaken extends Error {}

/**
 * Returns the authenticated user and the new session's token. Throws like `authenticate`, and AddressTaken when
 * signing up with an address that already has an account.
 */
async function authenticateAndOpenSession(
  way: Way,
  credentials: SentCredentials,
  { clientAddress, session: before, userAgent }: SigningBrowser,
): Promise<{ user: AuthenticatedUser; session: string }> {
  // Retry once if the hash was replaced meanwhile, perhaps by a rehash of the same password.
  for (let attempt = 1; attempt <= 2; attempt++) {
    const user = await authenticate(way, credentials, clientAddress);
    if (user.identities?.length === 0) throw new AddressTaken();
    const session = await openSession(user, before, { userAgent, clientAddress });
    if (!session) continue;
    if (way === "login") await renewHash(user, credentials.password, clientNetworks(clientAddress));
    return { user, session };
  }
  throw new CredentialsError(WRONG_CREDENTIALS);
}

function failureOf(way: Way, error: unknown, browser: SigningBrowser): LogInOutcome {
  if (error instanceof CredentialsError) {
    const facts = { way, userId: error.userId, network: networkOf(browser) };
    logSecurityEvent("sign-in-failed", facts, "sign-in rejected");
    return { kind: "rejected", message: error.message };
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

/**
 * Rehashes a verified password if its hash has outdated parameters. Writes nothing if the password has changed
 * meanwhile. Never throws: the next sign-in retries.
 */
export async function renewHash(
  { id, passwordHash }: VerifiedUser,
  password: unknown,
  network: ClientNetworks,
): Promise<void> {
  if (typeof password !== "string" || !needsRehash(passwordHash)) return;
  try {
    const to = await hashPassword(password, network);
    if (await replacePasswordHash(id, { from: passwordHash, to })) {
      log().info({ userId: id }, "password hash renewed with the current parameters");
    }
  } catch (error) {
    log().warn({ userId: id, err: error }, "a password hash could not be renewed");
  }
}
