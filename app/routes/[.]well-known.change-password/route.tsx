import { redirect } from "@remix-run/node";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/password-reset-paths";

/** Where password managers send people to change a password (W3C, A Well-Known URL for Changing Passwords). */
export const loader = () => redirect(FORGOT_PASSWORD_PATH);
