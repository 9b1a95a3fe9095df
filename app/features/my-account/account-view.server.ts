import { readableEmail } from "~/environment/email-address.server";
import { isRecentlyVerified } from "~/features/accounts/verify-identity.server";
import { findAccountFacts } from "~db/queries/account-facts";
import type { SessionState } from "~db/queries/sessions";
import { avatarPath } from "./avatar/avatar-paths";
import type { EmailState } from "./email-section";
import type { NewsletterState } from "./newsletter-section";
import type { PasskeyView } from "./passkeys-section";
import type { SessionView } from "./sessions-section";

/** Maximum number of sessions listed. Others can only be ended all at once. */
const MAX_SESSIONS = 50;

/** The account page's data, besides its viewer. */
export type AccountView = {
  email: EmailState;
  newsletter: NewsletterState;
  newTextsMail: boolean;
  isPasswordGuessable: boolean;
  /** The URL of the uploaded picture in its large size; null if none was uploaded here. */
  picture: string | null;
  passkeys: PasskeyView[];
  /** When the podcast address was made, as an ISO 8601 instant; null without one. */
  podcastSince: string | null;
  sessions: SessionView[];
};

/** Loads the account page's data for a session's user. The account may just have been deleted. */
export async function loadAccountView(userId: string, current: SessionState): Promise<AccountView> {
  const facts = await findAccountFacts(userId, { asOf: new Date(), sessionLimit: MAX_SESSIONS });
  const largeHash = facts?.largePicture ?? null;
  const newsletter: NewsletterState = !facts?.subscriber
    ? "none"
    : facts.subscriber.confirmedAt
      ? "subscribed"
      : "unconfirmed";
  const emailState: EmailState = {
    isConfirmed: facts?.emailConfirmedAt != null,
    waiting: facts?.waitingEmail ? readableEmail(facts.waitingEmail) : null,
    isVerifiedByPasskey: isRecentlyVerified(current, "passkey"),
  };
  return {
    email: emailState,
    newsletter,
    newTextsMail: facts?.newTextsMailSince != null,
    isPasswordGuessable: facts?.isPasswordGuessable ?? false,
    picture: largeHash && avatarPath(largeHash),
    passkeys: (facts?.passkeys ?? []).map(
      ({ id, name, createdAt, lastUsedAt }): PasskeyView => ({
        id,
        name,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      }),
    ),
    podcastSince: facts?.podcastCreatedAt?.toISOString() ?? null,
    sessions: (facts?.sessions ?? []).map(
      ({ createdAt, lastSeenAt, ...session }): SessionView => ({
        ...session,
        firstSeen: createdAt.toISOString(),
        lastSeen: lastSeenAt.toISOString(),
        isThis: session.id === current.id,
      }),
    ),
  };
}
