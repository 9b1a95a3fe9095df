import { Link, useLocation } from "@remix-run/react";
import { useAuth } from "~/features/accounts/auth-context";
import { useSectionLinks } from "./section-links";

type HeaderLinksProps = {
  /** The section that is being read. */
  current: string | null;
  pathTo: (section: string) => string;
  listClass: string;
  linkClass?: string;
};

/** The list of links to the landing page's sections and, for members, to their area. */
export function HeaderLinks({ current, pathTo, listClass, linkClass }: HeaderLinksProps) {
  const { isSubscribed } = useAuth();
  const { pathname } = useLocation();
  const atArea = pathname === "/premium" ? "page" : undefined;
  return (
    <ul className={listClass}>
      {useSectionLinks().map(({ id, label }) => (
        <li key={id}>
          <Link
            to={pathTo(id)}
            className={linkClass}
            aria-current={current === id ? "location" : undefined}
          >
            {label}
          </Link>
        </li>
      ))}
      {isSubscribed && (
        <li>
          <Link to="/premium" className={linkClass} aria-current={atArea}>
            Members’ area
          </Link>
        </li>
      )}
    </ul>
  );
}
