import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/auth-paths";
import { findViewer } from "~/features/accounts/viewer.server";
import { sectionPath } from "~/features/my-account/account-paths";

/**
 * The address to which password managers send people to change a password (W3C, A Well-Known URL for Changing
 * Passwords). Without signing in, that takes a mailed link.
 */
export async function loader(args: LoaderFunctionArgs) {
  const isSignedIn = (await findViewer(args)) !== null;
  return redirect(isSignedIn ? sectionPath("password") : FORGOT_PASSWORD_PATH);
}
