/** The account page with its Login form. */
export const LOG_IN_PATH = "/auth";
/** The account page with its Sign Up form. */
export const SIGN_UP_PATH = "/auth?tab=signup";

export const FORGOT_PASSWORD_PATH = "/auth/forgot-password";
export const RESET_PASSWORD_PATH = "/auth/reset-password";

/** Returns the path of the page on which a token's holder chooses a new password. */
export function passwordResetPath(token: string): string {
  return `${RESET_PASSWORD_PATH}?token=${encodeURIComponent(token)}`;
}

/** The page a mail's confirmation link opens. */
export const CONFIRM_EMAIL_PATH = "/auth/confirm-email";

export function confirmEmailPath(token: string): string {
  return `${CONFIRM_EMAIL_PATH}?token=${token}`;
}
