import { useLocation } from "@remix-run/react";
import type { ReactNode } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { LOG_IN_PATH, SIGN_UP_PATH } from "~/features/accounts/auth-paths";
import { leadingTo, purposeOf, UPGRADE } from "~/features/accounts/destination";
import { useRootData } from "~/features/accounts/root-data";
import { UpgradeForm } from "~/features/billing/upgrade-button";
import { ButtonLink } from "~/ui";
import { isMembersPath } from "./members-path";

/** Not on pages that lead on themselves, or are about something else. */
const SHOWN_ON = ["/", "/account"];

/** Leads on to where a visitor wanted to go before signing in or up, once it can be reached. */
export function DestinationCard() {
  const { user, isSubscribed } = useAuth();
  const { pathname } = useLocation();
  const { destination, viewer } = useRootData();
  if (!destination || !SHOWN_ON.includes(pathname)) return null;
  const { path, title } = destination;
  if (!user) {
    // the upgrade's own links lead back to it
    if (path === UPGRADE) return null;
    return (
      <Card title={`Log in to ${purposeOf(path)}`}>
        <ButtonLink to={leadingTo(LOG_IN_PATH, path)}>Log In</ButtonLink>{" "}
        <ButtonLink to={leadingTo(SIGN_UP_PATH, path)} variant="secondary">
          Sign Up
        </ButtonLink>
      </Card>
    );
  }
  if (isSubscribed || !(path === UPGRADE || isMembersPath(path))) {
    return (
      <Card title={title ? "You’re logged in" : `You wanted to ${purposeOf(path)}`}>
        <ButtonLink to={path}>{title ? `Continue to ${title}` : "Continue"}</ButtonLink>
      </Card>
    );
  }
  // a payment is being confirmed
  if (pathname !== "/" || viewer?.profile?.problem === "confirming") return null;
  return (
    <Card title="Finish upgrading">
      <UpgradeForm />
    </Card>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="frame relative z-10 pt-4" aria-labelledby="destination">
      <div
        className="flex flex-wrap items-center justify-between gap-x-8 gap-y-4 rounded-md border border-gold bg-highlight px-5 py-4"
        data-clear-of-toast
      >
        <p id="destination" className="text-lg">
          <strong>{title}</strong>
        </p>
        <div className="flex flex-wrap gap-3">{children}</div>
      </div>
    </section>
  );
}
