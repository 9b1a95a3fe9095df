import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readableEmail } from "~/environment/email-address.server";
import { rememberBrowser } from "~/features/accounts/known-browser.server";
import { LogInFirstPage } from "~/features/accounts/log-in-here";
import { findViewer, requireAccount } from "~/features/accounts/viewer.server";
import {
  ACCOUNT_PATH,
  CONFIRM_EMAIL_CHANGE_PATH,
  confirmEmailChangePath,
  oldLinkPath,
  sectionPath,
} from "~/features/my-account/account-paths";
import { confirmEmailChange, lookUpEmailChange } from "~/features/my-account/change-email.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import { answerForm, redirectWithToast } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import { secretInAddress, secretLinkHeaders, secretLinkMeta } from "~/http/secret-link";
import * as toasts from "~/toast-messages";
import { MailedLinkPage } from "~/ui/mailed-link-page";

export const headers = secretLinkHeaders;

export const meta: MetaFunction = ({ matches }) => [
  ...unlistedMeta(matches, "Confirm your new email", "Your account’s new address."),
  secretLinkMeta,
];

export const handle: RouteHandle = { metricsName: "/account" };

/** The link works for the account's own user alone: a mistyped address must not hand the account to a stranger. */
export async function loader(args: LoaderFunctionArgs) {
  const token = secretInAddress(args.request);
  const change = await lookUpEmailChange("confirm", token);
  if (!change) throw await rejectLink();
  const viewer = await findViewer(args);
  return viewer?.user.id === change.userId
    ? { token, isOwner: true as const, newEmail: readableEmail(change.newEmail) }
    : { token, isOwner: false as const };
}

export async function action(args: ActionFunctionArgs) {
  const { request } = args;
  const form = await readPageForm(request);
  const { userId } = await requireAccount(args);
  const outcome = await confirmEmailChange(form.fields.token, userId);
  const redirectTo = sectionPath("email");
  switch (outcome.kind) {
    case "changed": {
      const cookie = await rememberBrowser(request, outcome.email);
      const headers = new Headers({ "Set-Cookie": cookie });
      return answerForm(form, { toast: toasts.emailChanged, redirectTo: ACCOUNT_PATH, headers });
    }
    case "taken":
      return redirectWithToast(redirectTo, toasts.emailTaken);
    case "invalid-link":
      return rejectLink();
    case "failed":
      return redirectWithToast(redirectTo, toasts.accountFailed());
  }
}

const rejectLink = () => redirectWithToast(oldLinkPath("change"), null);

export default function ConfirmEmailChange() {
  const data = useLoaderData<typeof loader>();
  if (data.isOwner) {
    return (
      <MailedLinkPage
        eyebrow="Your account"
        heading="Your new address"
        action={CONFIRM_EMAIL_CHANGE_PATH}
        token={data.token}
        label="Change my email"
      >
        From now on, you’ll log in with {data.newEmail}, and your mail and receipts will go there.
      </MailedLinkPage>
    );
  }
  return (
    <LogInFirstPage
      heading="Log in to confirm your new email"
      lead="Use your current address. You’ll come back to this page."
      returnTo={confirmEmailChangePath(data.token)}
    />
  );
}
