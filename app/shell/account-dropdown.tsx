import {
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenu as DropdownMenuRoot,
  DropdownMenuSeparator,
  DropdownMenuTrigger,
} from "@radix-ui/react-dropdown-menu";
import { Link } from "@remix-run/react";
import { useEffect, useLayoutEffect, useRef } from "react";
import { useAuth } from "~/features/accounts/auth-context";
import type { AuthUser } from "~/features/accounts/viewer";
import * as toasts from "~/toast-messages";
import { useToast } from "~/ui/toaster";
import { Avatar } from "./avatar";

/** How the plain menu stood when this one took its place. */
export type PlainMenuState = { open: boolean; focused: boolean; byKeyboard: boolean };

type AccountDropdownProps = {
  user: AuthUser;
  isSubscribed: boolean;
  plainMenu: PlainMenuState;
};

/** The account menu with type-ahead, arrow keys, Home, End, Escape and the focus returned. */
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
    // Radix focuses the first item only for a key that it has seen itself
    const frame = requestAnimationFrame(() => {
      // unless another key has been pressed by now and has moved on
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
      {/* Not in a portal: in the header it is part of a landmark. */}
      <DropdownMenuContent ref={content} className="menu menu-floating" align="end" sideOffset={8}>
        <DropdownMenuLabel>
          <span className="menu-label">My Account</span>
          <span className="menu-email">{user.email}</span>
        </DropdownMenuLabel>
        <DropdownMenuSeparator className="mx-3 my-1 h-px bg-line" />
        {/* Told their texts, the items can be typed to at once; Radix would read them off the page afterwards. */}
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
