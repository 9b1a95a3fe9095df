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
  "It opens with the premium membership.",
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
  "📬 Check Your Email",
  "If there is an account with this address, a link to choose a new password is on its way.",
);
export const passwordResetFailed = (message = "Something went wrong") =>
  failure("Password Reset Failed", message);
export const passwordResetLinkInvalid = /* @__PURE__ */ failure(
  "Password Reset Failed",
  "This link has expired or was already used. Please ask for a new one.",
);
export const passwordChanged = /* @__PURE__ */ notice(
  "✅ Password Changed!",
  "You've been successfully signed in.",
);
export const newsletterConfirmed = /* @__PURE__ */ notice(
  "🎉 Email Confirmed!",
  "Thank you. You’re on the list.",
);
export const newsletterConfirmFailed = /* @__PURE__ */ wentWrong(
  "Your email could not be confirmed. Please try again.",
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
  "You could not be unsubscribed. Please try again.",
);
export const unsubscribeLinkInvalid = /* @__PURE__ */ wentWrong(
  "This link is not complete. Please open it from the letter itself.",
);
export const markedRead = /* @__PURE__ */ notice("Marked as read");
export const markedUnread = /* @__PURE__ */ notice("Marked as unread");
export const progressFailed = /* @__PURE__ */ wentWrong(
  "How far you have read could not be saved. Please try again.",
);

export const readingSettingsFailed = /* @__PURE__ */ wentWrong(
  "Your reading settings could not be saved. Please try again.",
);
export const highlightSaved = /* @__PURE__ */ notice("Highlight saved");
export const highlightDeleted = /* @__PURE__ */ notice("Highlight deleted");
export const highlightFailed = (message = "The highlight could not be saved. Please try again.") =>
  wentWrong(message);

export const podcastAddressCreated = /* @__PURE__ */ notice(
  "🎧 Your Podcast Address Is Ready",
  "Copy it into your podcast app.",
);
export const podcastAddressRenewed = /* @__PURE__ */ notice(
  "🎧 New Podcast Address",
  "The former one no longer works. Please add the new one to your apps.",
);
export const podcastAddressFailed = wentWrong;
export const notesFailed = wentWrong;
export const notesSaved = /* @__PURE__ */ notice("Your notes are saved.");
export const notesMerged = /* @__PURE__ */ notice(
  "Your notes are saved.",
  "They had been changed elsewhere too. Both versions are kept on the page.",
);
export const notesSavedAfterEnd = /* @__PURE__ */ notice(
  "Your notes are saved.",
  "Your membership has ended. Your notes are kept for you.",
);

/** What came of a payment that was owed, after another card was put in. */
export const newCardTried = {
  paid: /* @__PURE__ */ notice(
    "✅ Your Payment Went Through",
    "Thank you. The next ones are taken from your new card.",
  ),
  trying: /* @__PURE__ */ notice(
    "Your new card is being charged",
    "That takes a moment. This page shows how it went.",
  ),
  declined: /* @__PURE__ */ failure(
    "Your new card was declined too",
    "Nothing was charged. Please try another card, or ask your bank.",
  ),
  "to-confirm": /* @__PURE__ */ failure(
    "Your bank asks you to confirm",
    "Nothing was charged yet. Please confirm the payment on Stripe’s page.",
  ),
};

// The account page.
export const accountFailed = wentWrong;
export const passwordReplaced = /* @__PURE__ */ notice(
  "✅ Password Changed!",
  "You have been signed out everywhere else.",
);
export const membershipKept = /* @__PURE__ */ notice(
  "✅ Your Membership Goes On!",
  "The cancellation is taken back.",
);
export const membershipNotKept = accountFailed(
  "Your membership could not be resumed. Please try again, or resume it under 'Card and invoices'.",
);
export const accountDeleted = /* @__PURE__ */ notice(
  "👋 Your Account Is Deleted",
  "Thank you for coming along.",
);
export const emailChangeRequested = /* @__PURE__ */ notice(
  "📬 Check Your Email",
  "If the new address can be used, a link to confirm it is on its way there.",
);
export const emailChanged = /* @__PURE__ */ notice(
  "✅ Email Changed!",
  "From now on you log in with the new address.",
);
export const emailTaken = /* @__PURE__ */ wentWrong(
  "This address can no longer be used. Please choose another one.",
);
export const emailChangeUndone = /* @__PURE__ */ notice(
  "✅ Your Account Is Yours Again",
  "Please choose a new password now.",
);
export const emailChangeUndoneAndMore = /* @__PURE__ */ notice(
  "✅ Your Account Is Yours Again",
  "Passkeys and podcast addresses added in the week before the change, or since, were removed. Please choose a new password now.",
);
export const emailConfirmationSent = /* @__PURE__ */ notice(
  "📬 Check Your Email",
  "A link to confirm your address is on its way.",
);
export const emailConfirmed = /* @__PURE__ */ notice(
  "🎉 Email Confirmed!",
  "Thank you. This address is yours.",
);
export const emailConfirmedSignedOut = /* @__PURE__ */ notice(
  "🎉 Email Confirmed!",
  "Please log in. Did somebody else make this account? Then choose a new password.",
);
export const pictureChanged = /* @__PURE__ */ notice("✅ Your picture is saved.");
export const pictureRemoved = /* @__PURE__ */ notice("Your picture is removed.");
export const podcastAddressRemoved = /* @__PURE__ */ notice(
  "👋 Podcast Address Removed.",
  "Nobody can listen with it any more.",
);
export const sessionEnded = /* @__PURE__ */ notice("👋 Signed out there.");
export const otherSessionsEnded = /* @__PURE__ */ notice("👋 Signed out everywhere else.");
export const identityVerified = /* @__PURE__ */ notice(
  "✅ Thank you",
  "You won’t be asked again for ten minutes.",
);

export const verificationRequired = /* @__PURE__ */ notice(
  "Is it you?",
  "Before this step, please confirm that it is you.",
);
export const passkeyAdded = /* @__PURE__ */ notice(
  "✅ Passkey added",
  "From now on you can log in with it.",
);
export const passkeyRenamed = /* @__PURE__ */ notice("Your passkey has a new name.");
export const passkeyRemoved = /* @__PURE__ */ notice(
  "👋 Passkey removed",
  "Nobody can log in with it anymore. Where it was used, you are still logged in.",
);
export const passkeyUnused = /* @__PURE__ */ notice(
  "No passkey was used.",
  "You can try again at any time.",
);

/** The messages a 'Checkout Error' toast can carry (specification, 8). */
export const checkoutErrors = {
  notAuthenticated: "User not authenticated.",
  invoking: (message: string) => `Error invoking function: ${message}`,
  noSession: "Could not retrieve a checkout session.",
  stripe: (message: string) => `Stripe Error: ${message}`,
} as const;
