/** The account page with its Login form. */
export const LOG_IN_PATH = "/auth";
/** The account page with its Sign Up form. */
export const SIGN_UP_PATH = "/auth?tab=signup";
