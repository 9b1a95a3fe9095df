/** One toast, as it travels in a flash cookie, in an action's JSON answer and to the Toaster. */
export type ToastMessage = {
  title: string;
  description?: string;
  variant: "default" | "destructive";
  /** Links below the text, to what it asks for. */
  links?: { label: string; to: string }[];
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
const wentWrong = (description = "Please try again.") =>
  failure("Uh oh! Something went wrong.", description);

// Every toast of the site, word for word (specification, 8, and 5 for the upgrade). Each is an export of its own, so that
// the browser gets only those that it shows itself; a call counts as free of side effects only if it says so.

export const signedIn = /* @__PURE__ */ notice(
  "🎉 Welcome Back!",
  "You've been successfully signed in.",
);
export const communityForMembers = /* @__PURE__ */ notice(
  "The community is for members",
  "It comes with the premium membership.",
);
export const signedUp = /* @__PURE__ */ notice(
  "✅ Account Created!",
  "Welcome! You have been successfully signed in.",
);
export const signedOut = /* @__PURE__ */ notice("👋 You've been signed out.");
export const signInFailed = (message = "Something went wrong") =>
  failure("Sign in Failed", message);
export const signUpFailed = (message = "An unexpected error occurred. Please try again.") =>
  failure("Sign up Failed", message);
export const signUpIncomplete = /* @__PURE__ */ failure(
  "Sign up incomplete",
  "This email is already in use but the user does not exist. Please try signing in.",
);
export const signOutFailed = (message = "Something went wrong") =>
  failure("Sign out Failed", message);
export const subscribed = /* @__PURE__ */ notice(
  "🎉 Success!",
  "Thanks for subscribing! You're on the list.",
);
export const alreadySubscribed = /* @__PURE__ */ wentWrong("This email is already subscribed.");
export const subscribeFailed = /* @__PURE__ */ wentWrong(
  "There was a problem with your subscription.",
);
export const authenticationRequired: ToastMessage = {
  title: "Authentication Required",
  description: "Please log in or sign up to upgrade.",
  variant: "destructive",
  links: [
    { label: "Sign Up", to: "/auth?tab=signup&leads-to=%2F%23purchase" },
    { label: "Log In", to: "/auth?leads-to=%2F%23purchase" },
  ],
};
export const checkoutFailed = (message = "An unexpected error occurred.") =>
  failure("Checkout Error", message);
export const purchaseComingSoon = /* @__PURE__ */ notice(
  "Purchase Feature Coming Soon!",
  "Buying the book here is not yet implemented.",
);
export const notImplemented = /* @__PURE__ */ notice("Feature not implemented");
// Beyond the specification: too many attempts at the newsletter, choosing a new password, the newsletter's mails,
// how far a member has read, and members' notes.
export const passwordResetRequested = /* @__PURE__ */ notice(
  "📬 Check your email",
  "If this address has an account, a link to choose a new password is on its way.",
);
export const passwordResetFailed = (message = "Something went wrong") =>
  failure("Password reset failed", message);
export const passwordResetLinkInvalid = /* @__PURE__ */ failure(
  "Password reset failed",
  "This link has expired or was already used. Please request a new one.",
);
export const passwordChanged = /* @__PURE__ */ notice("✅ Password changed", "You’re logged in.");
export const newsletterConfirmed = /* @__PURE__ */ notice(
  "🎉 Email confirmed",
  "Thank you. You’re on the list.",
);
export const newsletterConfirmFailed = /* @__PURE__ */ wentWrong(
  "Your email couldn’t be confirmed. Please try again.",
);
export const subscribeLimited = wentWrong;
export const newTextsMail = (isOn: boolean) =>
  notice(
    isOn
      ? "✅ We’ll email you when a new chapter is out."
      : "👋 No more emails about new chapters.",
  );
export const unsubscribed = /* @__PURE__ */ notice("👋 You’ve been unsubscribed.");
export const unsubscribeFailed = /* @__PURE__ */ wentWrong(
  "You couldn’t be unsubscribed. Please try again.",
);
export const unsubscribeLinkInvalid = /* @__PURE__ */ wentWrong(
  "This link is incomplete. Please open it from the email.",
);
export const markedRead = /* @__PURE__ */ notice("Marked as read");
export const markedUnread = /* @__PURE__ */ notice("Marked as unread");
export const progressFailed = /* @__PURE__ */ wentWrong(
  "Your place couldn’t be saved. Please try again.",
);

export const readingSettingsFailed = /* @__PURE__ */ wentWrong(
  "Your reading settings couldn’t be saved. Please try again.",
);
export const highlightSaved = /* @__PURE__ */ notice("Highlight saved");
export const highlightDeleted = /* @__PURE__ */ notice("Highlight deleted");
export const highlightFailed = (message = "Your highlight couldn’t be saved. Please try again.") =>
  wentWrong(message);

export const podcastAddressCreated = /* @__PURE__ */ notice(
  "🎧 Your podcast address is ready",
  "Copy it into your podcast app.",
);
export const podcastAddressRenewed = /* @__PURE__ */ notice(
  "🎧 New podcast address",
  "The old one no longer works. Please add the new one to your apps.",
);
export const podcastAddressFailed = wentWrong;
export const notesFailed = wentWrong;
export const notesSaved = /* @__PURE__ */ notice("Your notes are saved.");
export const notesMerged = /* @__PURE__ */ notice(
  "Your notes are saved.",
  "They were changed elsewhere too. The page has both versions.",
);
export const notesSavedAfterEnd = /* @__PURE__ */ notice(
  "Your notes are saved.",
  "Your membership has ended, but we keep your notes for you.",
);

/** What came of a payment that was owed, after another card was put in. */
export const newCardTried = {
  paid: /* @__PURE__ */ notice(
    "✅ Your payment went through",
    "Thank you. Future payments will use your new card.",
  ),
  trying: /* @__PURE__ */ notice(
    "Your new card is being charged",
    "This takes a moment. This page will show the result.",
  ),
  declined: /* @__PURE__ */ failure(
    "Your new card was declined too",
    "Nothing was charged. Please try another card or ask your bank.",
  ),
  "to-confirm": /* @__PURE__ */ failure(
    "Please confirm your payment",
    "Your bank requires it. Nothing has been charged yet. You can confirm it on Stripe’s page.",
  ),
};

// The account page.
export const accountFailed = wentWrong;
export const passwordReplaced = /* @__PURE__ */ notice(
  "✅ Password changed",
  "You’ve been logged out everywhere else.",
);
export const membershipKept = /* @__PURE__ */ notice(
  "✅ Your membership continues",
  "It’s no longer canceled.",
);
export const membershipNotKept = accountFailed(
  "Your membership couldn’t be resumed. Please try again, or resume it under “Card and invoices”.",
);
export const accountDeleted = /* @__PURE__ */ notice(
  "👋 Your account has been deleted",
  "Thank you for reading with us.",
);
export const emailChangeRequested = /* @__PURE__ */ notice(
  "📬 Check your email",
  "If the new address is available, we’ve sent it a link to confirm.",
);
export const emailChanged = /* @__PURE__ */ notice(
  "✅ Email changed",
  "From now on, log in with the new address.",
);
export const emailTaken = /* @__PURE__ */ wentWrong(
  "This address is no longer available. Please choose another one.",
);
export const emailChangeUndone = /* @__PURE__ */ notice(
  "✅ Your account is yours again",
  "Please choose a new password now.",
);
export const emailChangeUndoneAndMore = /* @__PURE__ */ notice(
  "✅ Your account is yours again",
  "We removed passkeys and podcast addresses added in the week before the change or since. Please choose a new password now.",
);
export const emailConfirmationSent = /* @__PURE__ */ notice(
  "📬 Check your email",
  "A link to confirm your address is on its way.",
);
export const emailConfirmed = /* @__PURE__ */ notice(
  "🎉 Email confirmed",
  "Thank you for confirming your address.",
);
export const emailConfirmedSignedOut = /* @__PURE__ */ notice(
  "🎉 Email confirmed",
  "Please log in. If someone else made this account, choose a new password.",
);
export const pictureChanged = /* @__PURE__ */ notice("✅ Your picture is saved.");
export const pictureRemoved = /* @__PURE__ */ notice("Your picture has been removed.");
export const podcastAddressRemoved = /* @__PURE__ */ notice(
  "👋 Podcast address removed",
  "No one can listen with it anymore.",
);
export const sessionEnded = /* @__PURE__ */ notice("👋 Logged out of that device");
export const otherSessionsEnded = /* @__PURE__ */ notice("👋 Logged out everywhere else");
export const identityVerified = /* @__PURE__ */ notice(
  "✅ Thank you",
  "You won’t be asked again for ten minutes.",
);

export const verificationRequired = /* @__PURE__ */ notice(
  "Is this you?",
  "Please confirm that it’s you first.",
);
export const passkeyAdded = /* @__PURE__ */ notice(
  "✅ Passkey added",
  "You can now log in with it.",
);
export const passkeyRenamed = /* @__PURE__ */ notice("Your passkey has a new name.");
export const passkeyRemoved = /* @__PURE__ */ notice(
  "👋 Passkey removed",
  "No one can log in with it anymore. Devices that used it stay logged in.",
);
export const passkeyUnused = /* @__PURE__ */ notice(
  "No passkey was used",
  "You can try again anytime.",
);

/** The messages a 'Checkout Error' toast can carry (specification, 8). */
export const checkoutErrors = {
  notAuthenticated: "User not authenticated.",
  invoking: (message: string) => `Error invoking function: ${message}`,
  noSession: "Could not retrieve a checkout session.",
  stripe: (message: string) => `Stripe Error: ${message}`,
} as const;
