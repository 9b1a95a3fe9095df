import type { HeadersFunction, LinksFunction, LoaderFunctionArgs } from "@remix-run/node";
import { Link, NavLink, Outlet, useLoaderData } from "@remix-run/react";
import { ownsPasskeys } from "~/features/accounts/passkeys/manage-passkeys.server";
import { requireAuthor } from "~/features/desk/author.server";
import deskStyles from "~/features/desk/desk.css";
import { DESK_PAGES, DESK_PATH } from "~/features/desk/desk-paths";
import { useSite } from "~/features/site/page-site";
import type { RouteHandle } from "~/http/route-handle";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: deskStyles }];

export const handle: RouteHandle = { frame: "desk" };

export const headers: HeadersFunction = () => ({ "Cache-Control": "private, no-store" });

export async function loader(args: LoaderFunctionArgs) {
  const { userId } = await requireAuthor(args);
  return { hasPasskey: await ownsPasskeys(userId) };
}

/** What surrounds every page of the desk: its menu, and a notice to an author without a passkey. */
export default function Desk() {
  const { hasPasskey } = useLoaderData<typeof loader>();
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
        <Outlet />
      </main>
    </div>
  );
}
