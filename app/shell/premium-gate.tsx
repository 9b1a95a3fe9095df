import { useLocation, useNavigation } from "@remix-run/react";
import type { ReactNode } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { hasOwnLogIn, purposeOf } from "~/features/accounts/destination";
import { LogInFirstPage } from "~/features/accounts/log-in-here";
import { isMembersPath } from "./members-path";

/**
 * Shows 'Loading...' in place of the page while the browser decides whether the visitor may see the premium
 * area (specification, 2): during navigation to it, and while the auth state loads in it. Within it a page stays
 * until the next one has come, and while its data is read again. Signed out, its texts and lists are a log-in form that leads back to them.
 */
export function PremiumGate({ children }: { children: ReactNode }) {
  const { loading, user } = useAuth();
  const { pathname, search } = useLocation();
  const address = pathname + search;
  const navigation = useNavigation();
  const goingThere = navigation.state === "loading" && isMembersPath(navigation.location.pathname);
  if (isMembersPath(pathname) ? loading : goingThere) {
    return (
      <>
        <h1 className="sr-only">Members’ area</h1>
        <p
          role="status"
          className="grid min-h-[60vh] place-items-center font-display text-ink-soft text-xl/7"
        >
          Loading...
        </p>
        <noscript>
          {/* without JavaScript nothing revalidates: a visitor unknown to the server goes to the landing page */}
          <meta httpEquiv="refresh" content="0; url=/" />
        </noscript>
      </>
    );
  }
  if (!user && hasOwnLogIn(address)) {
    return (
      <LogInFirstPage
        heading={`Log in to ${purposeOf(address)}`}
        lead="You’ll come back to this page."
        returnTo={address}
      />
    );
  }
  return children;
}
