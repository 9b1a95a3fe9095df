import { deviceName } from "~/features/accounts/device-name";
import { Button, UtcDate, UtcTime } from "~/ui";
import { AccountSection } from "./account-section";

/** A signed-in browser as the page lists it; times are ISO 8601 instants. */
export type SessionView = {
  id: string;
  browser: string | null;
  system: string | null;
  /** The network it was opened from; null if unknown. */
  network: string | null;
  firstSeen: string;
  lastSeen: string;
  isThis: boolean;
};

/** The user's sessions, with forms to end them. */
export function SessionsSection({ sessions }: { sessions: SessionView[] }) {
  return (
    <AccountSection id="sessions" title="Where you’re logged in">
      <ul className="account-list">
        {sessions.map((session) => (
          <li key={session.id}>
            <div>
              <p className="text-ink">
                {nameOf(session)}
                {session.isThis && <strong className="account-mark">This device</strong>}
              </p>
              <p className="field-hint">
                Logged in <UtcTime at={session.firstSeen} />
                {session.network && ` from ${session.network}`}
                {session.lastSeen.slice(0, 10) !== session.firstSeen.slice(0, 10) && (
                  <>
                    , last seen <UtcDate at={session.lastSeen} />
                  </>
                )}
              </p>
            </div>
            {!session.isThis && (
              <form method="post" action="/account/sessions">
                <input type="hidden" name="session" value={session.id} />
                <Button type="submit" variant="quiet">
                  Log out<span className="sr-only"> {nameOf(session)}</span>
                </Button>
              </form>
            )}
          </li>
        ))}
      </ul>
      {sessions.length > 1 && (
        <form method="post" action="/account/sessions">
          <input type="hidden" name="intent" value="end-others" />
          <Button type="submit" variant="secondary">
            Log out everywhere else
          </Button>
        </form>
      )}
    </AccountSection>
  );
}

const nameOf = (session: SessionView) => deviceName(session, "Unknown browser");
