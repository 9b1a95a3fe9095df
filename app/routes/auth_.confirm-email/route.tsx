import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readableEmail } from "~/environment/email-address.server";
import { CONFIRM_EMAIL_PATH, confirmEmailPath, LOG_IN_PATH } from "~/features/accounts/auth-paths";
import { findDestination } from "~/features/accounts/destination-cookie.server";
import {
  confirmEmailByLink,
  readEmailConfirmation,
} from "~/features/accounts/email-confirmation.server";
import type { Viewer } from "~/features/accounts/viewer";
import { findViewer } from "~/features/accounts/viewer.server";
import { giveBackMembership } from "~/features/billing/lost-membership.server";
import { oldLinkPath } from "~/features/my-account/account-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import { redirectWithToast } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import { secretInAddress, secretLinkHeaders, secretLinkMeta } from "~/http/secret-link";
import * as toasts from "~/toast-messages";
import { MailedLinkPage } from "~/ui/mailed-link-page";

export const headers = secretLinkHeaders;

export const meta: MetaFunction = ({ matches }) => [
  ...unlistedMeta(matches, "Confirm your email", "The address of your account."),
  secretLinkMeta,
];

export const handle: RouteHandle = { metricsName: "/auth" };

/** Opening the page confirms nothing, because mail scanners open links too. */
export async function loader(args: LoaderFunctionArgs) {
  const token = secretInAddress(args.request);
  const user = await readEmailConfirmation(token);
  if (!user) throw await rejectLink();
  const viewer = await findViewer(args);
  return { token, email: readableEmail(user.email), isSignedIn: viewer?.user.id === user.id };
}

export async function action(args: ActionFunctionArgs) {
  const { request } = args;
  const { fields } = await readPageForm(request);
  const viewer = await findViewer(args);
  const outcome = await confirmEmailByLink(fields.token, viewer?.user.id ?? null);
  switch (outcome.kind) {
    case "confirmed":
      if (outcome.newlyConfirmed) void giveBackMembership(outcome.newlyConfirmed);
      if (outcome.isSignedOut) {
        return redirectWithToast(LOG_IN_PATH, toasts.emailConfirmedSignedOut);
      }
      return redirectWithToast(await nextPage(request, viewer), toasts.emailConfirmed);
    case "invalid-link":
      return rejectLink();
    case "failed": {
      const token = typeof fields.token === "string" ? encodeURIComponent(fields.token) : "";
      return redirectWithToast(confirmEmailPath(token), toasts.accountFailed());
    }
  }
}

/** Where a member goes on; anyone else finds the book and the membership on the landing page. */
async function nextPage(request: Request, viewer: Viewer | null): Promise<string> {
  return viewer?.isSubscribed ? ((await findDestination(request)) ?? "/premium") : "/";
}

const rejectLink = () => redirectWithToast(oldLinkPath("confirmation"), null);

export default function ConfirmEmail() {
  const { token, email, isSignedIn } = useLoaderData<typeof loader>();
  return (
    <MailedLinkPage
      eyebrow="Your account"
      heading="Is this your address?"
      action={CONFIRM_EMAIL_PATH}
      token={token}
      label="Confirm my email"
    >
      {email}
      {!isSignedIn && ". Anyone logged in to its account will be logged out."}
    </MailedLinkPage>
  );
}
