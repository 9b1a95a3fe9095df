import { Link, useLocation } from "@remix-run/react";
import { useEffect, useState } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { BuyButton } from "~/features/site/buy-button";
import { useSite } from "~/features/site/page-site";
import { ButtonLink } from "~/ui";
import { AccountMenu } from "./account-menu";
import { HeaderLinks } from "./header-links";
import { isMembersPath } from "./members-path";
import { MobileMenu } from "./mobile-menu";
import { SECTION_IDS } from "./section-links";
import { SiteMark } from "./site-mark";

/** The sticky header of every page (specification, 2), for visitors, accounts and members. */
export function Header() {
  const { user, isSubscribed } = useAuth();
  const site = useSite();
  const current = useCurrentSection(SECTION_IDS);
  const { pathname } = useLocation();
  return (
    <header className="site-header">
      <div className="frame flex h-full items-center gap-4">
        <Link to="/" className="brand">
          <SiteMark site={site} />
          {site.title}
        </Link>
        <nav aria-label="Main" className="ml-auto hidden items-center lg:flex">
          <HeaderLinks
            current={current}
            pathTo={(section) => `/#${section}`}
            listClass="flex items-center"
            linkClass="nav-link"
          />
        </nav>
        <div className="ml-auto hidden sm:block lg:ml-2">
          {/* members are sold nothing in their room */}
          {!isMembersPath(pathname) && <BuyButton className="button-compact">Buy Now</BuyButton>}
        </div>
        <div className="hidden items-center gap-1 lg:flex">
          {user ? (
            <AccountMenu user={user} isSubscribed={isSubscribed} />
          ) : (
            <>
              <ButtonLink to="/auth" variant="quiet" className="button-compact">
                Log In
              </ButtonLink>{" "}
              <ButtonLink to="/auth?tab=signup" variant="secondary" className="button-compact">
                Sign Up
              </ButtonLink>
            </>
          )}
        </div>
        <MobileMenu current={current} />
      </div>
    </header>
  );
}

/**
 * The id of the section that crosses a line a third of the way down the window. Null between the given sections and on
 * pages without them. `ids` must be referentially stable.
 */
function useCurrentSection(ids: readonly string[]): string | null {
  const { pathname } = useLocation();
  const [current, setCurrent] = useState<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other sections under the same ids.
  useEffect(() => {
    const reading = new Set<string>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) reading.add(target.id);
          else reading.delete(target.id);
        }
        setCurrent(ids.findLast((id) => reading.has(id)) ?? null);
      },
      { rootMargin: "-33% 0px -66% 0px" },
    );
    for (const id of ids) {
      const section = document.getElementById(id);
      if (section) observer.observe(section);
    }
    return () => {
      observer.disconnect();
      setCurrent(null);
    };
  }, [ids, pathname]);

  return current;
}
