/** The account page with its Login form. */
export const LOG_IN_PATH = "/auth";
/** The account page with its Sign Up form. */
export const SIGN_UP_PATH = "/auth?tab=signup";

export const FORGOT_PASSWORD_PATH = "/auth/forgot-password";
export const RESET_PASSWORD_PATH = "/auth/reset-password";

/** Where the holder of a token chooses a new password. */
export function passwordResetPath(token: string): string {
  return `${RESET_PASSWORD_PATH}?token=${encodeURIComponent(token)}`;
}

/** The page of the link that confirms an account's address. */
export const CONFIRM_EMAIL_PATH = "/auth/confirm-email";

export function confirmEmailPath(token: string): string {
  return `${CONFIRM_EMAIL_PATH}?token=${token}`;
}
