import {
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenu as DropdownMenuRoot,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "@radix-ui/react-dropdown-menu";
import { Link } from "@remix-run/react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import type { AuthUser } from "~/features/accounts/viewer";
import * as toasts from "~/toast-messages";
import { useToast } from "~/ui";
import { Avatar } from "./avatar";
import { MyAccountLabel } from "./my-account-label";

/** The state of the plain menu when this one replaced it. */
export type PlainMenuState = { open: boolean; focused: boolean; byKeyboard: boolean };

type AccountDropdownProps = {
  user: AuthUser;
  isSubscribed: boolean;
  plainMenu: PlainMenuState;
};

/** The account menu with type-ahead, arrow keys, Home, End, Escape and focus restoration. */
export function AccountDropdown({ user, isSubscribed, plainMenu }: AccountDropdownProps) {
  const { signOut } = useAuth();
  const toast = useToast();
  const trigger = useRef<HTMLButtonElement>(null);

  const content = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    if (plainMenu.focused) trigger.current?.focus();
  }, [plainMenu]);

  useEffect(() => {
    if (!plainMenu.open || !plainMenu.byKeyboard) return;
    // Radix focuses the first item only for a key press it has handled itself
    const frame = requestAnimationFrame(() => {
      // unless another key press has already moved the focus
      if (document.activeElement?.matches("[role=menuitem]")) return;
      content.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    });
    return () => cancelAnimationFrame(frame);
  }, [plainMenu]);

  return (
    <DropdownMenuRoot modal={false} defaultOpen={plainMenu.open}>
      <DropdownMenuTrigger ref={trigger} className="avatar-button" aria-label="Account menu">
        <Avatar user={user} />
      </DropdownMenuTrigger>
      {/* No portal: within the header the menu is part of a landmark. */}
      <DropdownMenuContent ref={content} className="menu menu-floating" align="end" sideOffset={8}>
        <DropdownMenuItem asChild textValue="My Account">
          <Link to="/account" className="menu-item">
            <MyAccountLabel email={user.readableEmail} />
          </Link>
        </DropdownMenuItem>
        <DropdownMenuSeparator className="mx-3 my-1 h-px bg-line" />
        {/* With explicit text values type-ahead works at once; Radix would read them from the DOM later. */}
        {isSubscribed && (
          <DropdownMenuItem asChild textValue="Members’ area">
            <Link to="/premium" className="menu-item">
              Members’ area
            </Link>
          </DropdownMenuItem>
        )}
        <DropdownMenuItem
          className="menu-item"
          textValue="Profile"
          onSelect={() => toast(toasts.notImplemented)}
        >
          Profile
        </DropdownMenuItem>
        <DropdownMenuItem className="menu-item" textValue="Log out" onSelect={() => void signOut()}>
          Log out
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenuRoot>
  );
}
