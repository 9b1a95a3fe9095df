/** One toast, as it travels in a flash cookie, in an action's JSON answer and to the Toaster. */
export type ToastMessage = {
  title: string;
  description?: string;
  variant: "default" | "destructive";
};

const notice = (title: string, description?: string): ToastMessage => ({
  title,
  description,
  variant: "default",
});
const failure = (title: string, description?: string): ToastMessage => ({
  title,
  description,
  variant: "destructive",
});

/** Every toast of the site, word for word (specification, 8, and 5 for the upgrade). */
export const toasts = {
  signedIn: notice("🎉 Welcome Back!", "You've been successfully signed in."),
  signedUp: notice("✅ Account Created!", "Welcome! You have been successfully signed in."),
  signedOut: notice("👋 You've been signed out."),
  signInFailed: (message = "Something went wrong") => failure("Sign in Failed", message),
  signUpFailed: (message = "An unexpected error occurred. Please try again.") =>
    failure("Sign up Failed", message),
  signUpIncomplete: failure(
    "Sign up incomplete",
    "This email is already in use but the user does not exist. Please try signing in.",
  ),
  signOutFailed: (message = "Something went wrong") => failure("Sign out Failed", message),

  subscribed: notice("🎉 Success!", "Thanks for subscribing! You're on the list."),
  alreadySubscribed: failure("Uh oh! Something went wrong.", "This email is already subscribed."),
  subscribeFailed: failure(
    "Uh oh! Something went wrong.",
    "There was a problem with your subscription.",
  ),

  authenticationRequired: failure(
    "Authentication Required",
    "Please log in or sign up to upgrade.",
  ),
  checkoutFailed: (message = "An unexpected error occurred.") => failure("Checkout Error", message),

  purchaseComingSoon: notice(
    "Purchase Feature Coming Soon!",
    "Buying the book here is not yet implemented.",
  ),
  notImplemented: notice("Feature not implemented"),

  // Beyond the specification: too many attempts at the newsletter, choosing a new password, and the newsletter's mails.
  passwordResetRequested: notice(
    "📬 Check Your Email",
    "If there is an account with this address, a link to choose a new password is on its way.",
  ),
  passwordResetFailed: (message = "Something went wrong") =>
    failure("Password Reset Failed", message),
  passwordResetLinkInvalid: failure(
    "Password Reset Failed",
    "This link has expired or was already used. Please ask for a new one.",
  ),
  passwordChanged: notice("✅ Password Changed!", "You've been successfully signed in."),

  newsletterConfirmed: notice("🎉 Email Confirmed!", "Thank you. You’re on the list."),
  newsletterConfirmFailed: failure(
    "Uh oh! Something went wrong.",
    "Your email could not be confirmed. Please try again.",
  ),
  newsletterConfirmLinkInvalid: failure(
    "Uh oh! Something went wrong.",
    "This link is no longer valid. Please subscribe again.",
  ),
  subscribeLimited: (message: string) => failure("Uh oh! Something went wrong.", message),
  unsubscribed: notice("👋 You’ve been unsubscribed."),
  unsubscribeFailed: failure(
    "Uh oh! Something went wrong.",
    "You could not be unsubscribed. Please try again.",
  ),
  unsubscribeLinkInvalid: failure(
    "Uh oh! Something went wrong.",
    "This link is not complete. Please open it from the letter itself.",
  ),
} as const;

/** The messages a 'Checkout Error' toast can carry (specification, 8). */
export const checkoutErrors = {
  notAuthenticated: "User not authenticated.",
  invoking: (message: string) => `Error invoking function: ${message}`,
  noSession: "Could not retrieve a checkout session.",
  stripe: (message: string) => `Stripe Error: ${message}`,
} as const;
