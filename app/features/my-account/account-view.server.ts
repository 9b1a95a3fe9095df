import type { SignedIn } from "~/features/accounts/verify-identity.server";
import { listPasskeys } from "~db/queries/passkeys";
import { listSessions } from "~db/queries/sessions";
import { findSubscriberByEmail } from "~db/queries/subscribers";
import type { NewsletterState } from "./newsletter-section";
import type { PasskeyView } from "./passkeys-section";
import type { SessionView } from "./sessions-section";

/** Sessions that the page lists; whoever has more ends them all at once. */
const MAX_SESSIONS = 50;

/** What the account page shows beside its viewer. Throws PostgreSQL's errors. */
export async function loadAccountView({ userId, session }: SignedIn, email: string) {
  const [sessions, passkeys, subscriber] = await Promise.all([
    listSessions(userId, { now: new Date(), limit: MAX_SESSIONS }),
    listPasskeys(userId),
    findSubscriberByEmail(email),
  ]);
  const newsletter: NewsletterState = !subscriber
    ? "none"
    : subscriber.confirmedAt
      ? "subscribed"
      : "unconfirmed";
  return {
    newsletter,
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
