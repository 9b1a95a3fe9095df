export const FORGOT_PASSWORD_PATH = "/auth/forgot-password";
export const RESET_PASSWORD_PATH = "/auth/reset-password";

/** Where the holder of a token chooses a new password. */
export function passwordResetPath(token: string): string {
  return `${RESET_PASSWORD_PATH}?token=${encodeURIComponent(token)}`;
}
