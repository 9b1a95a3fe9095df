import { Link } from "@remix-run/react";
import { type SyntheticEvent, useEffect, useRef, useState } from "react";
import type { AuthUser } from "~/features/accounts/viewer";
import { useBrowserLayoutEffect, useOnDemand } from "~/ui";
import { AccountActions } from "./account-actions";
import type { PlainMenuState } from "./account-dropdown";
import { Avatar } from "./avatar";
import { MyAccountLabel } from "./my-account-label";

const fetchDropdown = () => import("./account-dropdown").then((module) => module.AccountDropdown);

type AccountMenuProps = { user: AuthUser; isSubscribed: boolean };

/**
 * The signed-in visitor's menu. A `<details>`, which works without JavaScript, until the visitor reaches for
 * it; then the Radix menu is loaded and replaces it with the same open and focus state.
 */
export function AccountMenu({ user, isSubscribed }: AccountMenuProps) {
  const details = useRef<HTMLDetailsElement>(null);
  const [Dropdown, load] = useOnDemand(fetchDropdown);
  const [pressed, setPressed] = useState(false);
  const byKeyboard = useRef(false);
  const [plainMenu, setPlainMenu] = useState<PlainMenuState | null>(null);

  useEffect(() => {
    const plain = details.current;
    if (plain?.open || plain?.matches(":hover, :focus-within")) load();
  }, [load]);

  // In one commit, including the focus on the replacement: a Tab in between would start from nowhere.
  useBrowserLayoutEffect(() => {
    // If replaced between press and release, the element would never receive its click.
    if (!Dropdown || pressed || !details.current) return;
    setPlainMenu({
      open: details.current.open,
      focused: details.current.contains(document.activeElement),
      byKeyboard: byKeyboard.current,
    });
  }, [Dropdown, pressed]);

  useEffect(() => {
    if (!pressed) return;
    const release = () => setTimeout(() => setPressed(false));
    const releases = ["pointerup", "pointercancel", "keyup", "blur"] as const;
    for (const type of releases) window.addEventListener(type, release);
    return () => {
      for (const type of releases) window.removeEventListener(type, release);
    };
  }, [pressed]);

  if (Dropdown && plainMenu) {
    return <Dropdown user={user} isSubscribed={isSubscribed} plainMenu={plainMenu} />;
  }

  const press = (event: SyntheticEvent) => {
    load();
    byKeyboard.current = event.type === "keydown";
    if ((event.target as Element).closest("summary")) setPressed(true);
  };
  return (
    <details
      ref={details}
      className="account-menu"
      onPointerEnter={load}
      onFocus={load}
      onPointerDown={press}
      onKeyDown={press}
    >
      <summary className="avatar-button" aria-label="Account menu">
        <Avatar user={user} />
      </summary>
      <div className="menu">
        <Link to="/account" className="menu-item">
          <MyAccountLabel email={user.readableEmail} />
        </Link>
        <ul className="mt-1 border-line border-t pt-1">
          {isSubscribed && (
            <li>
              <Link to="/premium" className="menu-item">
                Members’ area
              </Link>
            </li>
          )}
          <AccountActions />
        </ul>
      </div>
    </details>
  );
}
