import { SignOutForm } from "~/features/accounts/sign-out-form";
import { NoticeForm } from "~/ui";

/** The last list items of both plain account menus: Profile and Log out. */
export function AccountActions() {
  return (
    <>
      <li>
        <NoticeForm notice="profile">
          <button type="submit" className="menu-item">
            Profile
          </button>
        </NoticeForm>
      </li>
      <li>
        <SignOutForm>
          <button type="submit" className="menu-item">
            Log out
          </button>
        </SignOutForm>
      </li>
    </>
  );
}
