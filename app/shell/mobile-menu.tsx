import { Link, useLocation } from "@remix-run/react";
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useRef } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import { BuyButton } from "~/features/site/buy-button";
import { ButtonLink, CloseIcon, MenuIcon, useBrowserLayoutEffect, useHydrated } from "~/ui";
import { AccountActions } from "./account-actions";
import { HeaderLinks } from "./header-links";
import { isMembersPath } from "./members-path";
import { MyAccountLabel } from "./my-account-label";
import { sectionLoadPath } from "./section-links";

/**
 * The header's items for narrow windows, in a `<details>` that needs no JavaScript. With JavaScript the menu
 * also closes on navigation, on Escape, on a press outside and when focus leaves it. Without it only a page load closes
 * the menu in every browser, so section links go to `/sections/<id>`, which redirects. Popovers, `:target` and
 * `<details>` of one name either stay open, report a wrong state or add entries to the history.
 */
export function MobileMenu({ current }: { current: string | null }) {
  const { user } = useAuth();
  const hydrated = useHydrated();
  const details = useRef<HTMLDetailsElement>(null);
  const toggle = useRef<HTMLElement>(null);
  const { key, pathname } = useLocation();

  const close = useCallback(() => {
    if (details.current) details.current.open = false;
  }, []);
  const closeAndReturnFocus = () => {
    if (details.current?.contains(document.activeElement)) toggle.current?.focus();
    close();
  };

  // biome-ignore lint/correctness/useExhaustiveDependencies: each navigation has a key of its own.
  useEffect(() => close, [key, close]);

  // The element itself holds the open state, even before hydration; a copy in React could be stale.
  useBrowserLayoutEffect(() => {
    const closeOnOutsidePress = (event: PointerEvent) => {
      if (!details.current?.contains(event.target as Node)) close();
    };
    document.addEventListener("pointerdown", closeOnOutsidePress);
    return () => document.removeEventListener("pointerdown", closeOnOutsidePress);
  }, [close]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && details.current?.open) closeAndReturnFocus();
  };
  const onBlur = (event: FocusEvent) => {
    const to = event.relatedTarget;
    if (to instanceof Node && !details.current?.contains(to)) close();
  };

  return (
    <details
      ref={details}
      className="mobile-menu ml-auto sm:ml-0 lg:hidden"
      onKeyDown={onKeyDown}
      onBlur={onBlur}
      onSubmit={closeAndReturnFocus}
    >
      <summary ref={toggle} className="mobile-menu-toggle" aria-label="Menu">
        <MenuIcon className="mobile-menu-opens size-7" />
        <CloseIcon className="mobile-menu-closes size-7" />
      </summary>
      <div className="mobile-menu-panel">
        <nav aria-label="Menu" className="frame pt-2 pb-8">
          <HeaderLinks
            current={current}
            pathTo={hydrated ? (section) => `/#${section}` : sectionLoadPath}
            listClass="mobile-menu-sections"
          />
          {!isMembersPath(pathname) && (
            <div className="mt-6">
              <BuyButton className="w-full">Buy Now</BuyButton>
            </div>
          )}
          {user ? (
            <div className="mt-6">
              <Link to="/account" className="menu-item">
                <MyAccountLabel email={user.readableEmail} />
              </Link>
              <ul className="mt-2">
                <AccountActions />
              </ul>
            </div>
          ) : (
            <div className="mt-3 grid gap-3 min-[20rem]:grid-cols-2">
              <ButtonLink to="/auth" variant="secondary">
                Log In
              </ButtonLink>{" "}
              <ButtonLink to="/auth?tab=signup" variant="secondary">
                Sign Up
              </ButtonLink>
            </div>
          )}
        </nav>
      </div>
    </details>
  );
}
