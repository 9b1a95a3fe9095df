import { Link, NavLink } from "@remix-run/react";
import type { ReactNode } from "react";
import { useSite } from "~/features/site/page-site";
import { DESK_PAGES, DESK_PATH } from "./desk-paths";

type DeskFrameProps = {
  /** Whether the author has a passkey. */
  hasPasskey: boolean;
  children: ReactNode;
};

/** What surrounds every page of the desk: its menu, and a notice to an author without a passkey. */
export function DeskFrame({ hasPasskey, children }: DeskFrameProps) {
  const { title } = useSite();
  return (
    <div className="desk">
      <header className="desk-header">
        <Link to={DESK_PATH} className="desk-brand">
          {title} <span>Desk</span>
        </Link>
        <nav aria-label="Desk" className="desk-menu">
          <ul>
            {DESK_PAGES.map(({ path, label }) => (
              <li key={path}>
                <NavLink to={path} end={path === DESK_PATH}>
                  {label}
                </NavLink>
              </li>
            ))}
            <li>
              <a href="/">Site’s front page</a>
            </li>
          </ul>
        </nav>
      </header>
      <main id="main" tabIndex={-1} className="desk-main">
        {!hasPasskey && (
          <p className="desk-notice">
            A password can be stolen by a fake page; a passkey can’t.{" "}
            <a href="/account#passkeys">Add a passkey</a>
          </p>
        )}
        {children}
      </main>
    </div>
  );
}
