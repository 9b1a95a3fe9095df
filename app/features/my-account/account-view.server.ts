import { isRecentlyVerified, type SignedIn } from "~/features/accounts/verify-identity.server";
import { findLargeAvatarHash } from "~db/queries/avatars";
import { findWaitingEmailChange } from "~db/queries/email-changes";
import { listPasskeys } from "~db/queries/passkeys";
import { listSessions } from "~db/queries/sessions";
import { findSubscriberByEmail } from "~db/queries/subscribers";
import { findUserById } from "~db/queries/users";
import { avatarPath } from "./avatar/avatar-paths";
import type { EmailState } from "./email-section";
import type { NewsletterState } from "./newsletter-section";
import type { PasskeyView } from "./passkeys-section";
import type { SessionView } from "./sessions-section";

/** Sessions that the page lists; further ones can only be ended all at once. */
const MAX_SESSIONS = 50;

/** What the account page shows beside its viewer. */
export type AccountView = {
  email: EmailState;
  newsletter: NewsletterState;
  /** The address of the picture in its largest size; null for none that was uploaded here. */
  picture: string | null;
  passkeys: PasskeyView[];
  sessions: SessionView[];
};

/** Throws PostgreSQL's errors. */
export async function loadAccountView(
  { userId, session }: SignedIn,
  email: string,
): Promise<AccountView> {
  const [user, waiting, sessions, passkeys, subscriber, largeHash] = await Promise.all([
    findUserById(userId),
    findWaitingEmailChange(userId, new Date()),
    listSessions(userId, { now: new Date(), limit: MAX_SESSIONS }),
    listPasskeys(userId),
    findSubscriberByEmail(email),
    findLargeAvatarHash(userId),
  ]);
  const newsletter: NewsletterState = !subscriber
    ? "none"
    : subscriber.confirmedAt
      ? "subscribed"
      : "unconfirmed";
  const emailState: EmailState = {
    isConfirmed: user?.emailConfirmedAt != null,
    waiting: waiting?.newEmail ?? null,
    isVerifiedByPasskey: isRecentlyVerified(session, "passkey"),
  };
  return {
    email: emailState,
    newsletter,
    picture: largeHash && avatarPath(largeHash),
    passkeys: passkeys.map(
      ({ id, name, createdAt, lastUsedAt }): PasskeyView => ({
        id,
        name,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }),
    ),
    sessions: sessions.map(
      ({ id, browser, system, createdAt, lastSeenAt }): SessionView => ({
        id,
        browser,
        system,
        firstSeen: createdAt.toISOString(),
        lastSeen: lastSeenAt.toISOString(),
        isThis: id === session.id,
      }),
    ),
  };
}
