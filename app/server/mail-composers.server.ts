import { composePasswordReset } from "~/features/accounts/password-reset-request.server";
import { composeSignUpNotice } from "~/features/accounts/sign-up-notice.server";
import type { MailComposers } from "~/features/mail/mail-delivery.server";
import { composeEmailChange } from "~/features/my-account/change-email.server";

/** Composers of the mails that are queued before it is known whether there is anything to send. */
export const MAIL_COMPOSERS: MailComposers = {
  "password-reset": composePasswordReset,
  "sign-up-attempt": composeSignUpNotice,
  "email-change": composeEmailChange,
};
