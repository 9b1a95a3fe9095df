import { isRecentlyVerified } from "~/features/accounts/verify-identity.server";
import { findAccountFacts } from "~db/queries/account-facts";
import type { SessionState } from "~db/queries/sessions";
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

/** What the page says of an account, which may just have been deleted, to who uses this session. */
export async function loadAccountView(userId: string, session: SessionState): Promise<AccountView> {
  const facts = await findAccountFacts(userId, { asOf: new Date(), sessionLimit: MAX_SESSIONS });
  const largeHash = facts?.largePicture ?? null;
  const newsletter: NewsletterState = !facts?.subscriber
    ? "none"
    : facts.subscriber.confirmedAt
      ? "subscribed"
      : "unconfirmed";
  const emailState: EmailState = {
    isConfirmed: facts?.emailConfirmedAt != null,
    waiting: facts?.waitingEmail ?? null,
    isVerifiedByPasskey: isRecentlyVerified(session, "passkey"),
  };
  return {
    email: emailState,
    newsletter,
    picture: largeHash && avatarPath(largeHash),
    passkeys: (facts?.passkeys ?? []).map(
      ({ id, name, createdAt, lastUsedAt }): PasskeyView => ({
        id,
        name,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }),
    ),
    sessions: (facts?.sessions ?? []).map(
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
