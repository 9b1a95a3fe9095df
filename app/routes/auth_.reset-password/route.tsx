import type {
  ActionFunctionArgs,
  LinksFunction,
  LoaderFunctionArgs,
  MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import authStyles from "~/features/accounts/auth-page.css";
import { FORGOT_PASSWORD_PATH, passwordResetPath } from "~/features/accounts/auth-paths";
import { firstProblem, newPasswordSchema } from "~/features/accounts/credentials";
import { isLinkToken } from "~/features/accounts/link-token.server";
import { hasHashQueueCapacity } from "~/features/accounts/password.server";
import { lookUpPasswordReset, resetPassword } from "~/features/accounts/password-reset.server";
import { PasswordResetPage } from "~/features/accounts/password-reset-page";
import { readSession } from "~/features/accounts/sessions.server";
import { answerSignIn } from "~/features/accounts/sign-in-cookies.server";
import { giveBackMembership } from "~/features/billing/lost-membership.server";
import { sectionPath } from "~/features/my-account/account-paths";
import { unlistedMeta } from "~/features/seo/page-meta";
import { clientNetworks } from "~/http/client-network.server";
import { answerForm, answerRefusal, limitForm, redirectWithToast } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import { secretInAddress, secretLinkHeaders, secretLinkMeta } from "~/http/secret-link";
import * as toasts from "~/toast-messages";

export const headers = secretLinkHeaders;

export const links: LinksFunction = () => [{ rel: "stylesheet", href: authStyles }];

export const meta: MetaFunction = ({ matches }) => [
  ...unlistedMeta(matches, "Choose a new password", "Choose a new password for your account."),
  secretLinkMeta,
];

export async function loader({ request }: LoaderFunctionArgs) {
  const reset = await lookUpPasswordReset(secretInAddress(request));
  if (!reset) throw await rejectLink();
  return reset;
}

export const handle: RouteHandle = { metricsName: "/auth" };

/**
 * Changes the password, signs in and redirects to '/', or to what else opens the account. A rejected password leads back to the form, an invalid
 * or expired link to the 'forgot password' page.
 */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readPageForm(request);
  const { token } = form.fields;
  if (!isLinkToken(token)) return rejectLink();
  const { clientAddress } = context;
  const failure = (message?: string) => ({
    toast: toasts.passwordResetFailed(message),
    redirectTo: passwordResetPath(token),
  });
  const password = newPasswordSchema.safeParse(form.fields.password);
  if (!password.success) return answerForm(form, failure(firstProblem(password.error)));
  if (!hasHashQueueCapacity(clientNetworks(clientAddress))) {
    return answerRefusal(form, { kind: "busy" }, failure, { context });
  }
  const limited = await limitForm("new-password", { form, context }, failure);
  if (limited) return limited;

  const session = await readSession(request);
  const outcome = await resetPassword(
    { token, password: password.data },
    { clientAddress, session, userAgent: request.headers.get("User-Agent") },
  );
  switch (outcome.kind) {
    case "changed": {
      // the link has confirmed the address
      void giveBackMembership(outcome.userId);
      const leadsTo = outcome.keepsOthers ? sectionPath("password") : "/";
      return answerForm(
        form,
        await answerSignIn(request, outcome, { toast: toasts.passwordChanged, leadsTo }),
      );
    }
    case "invalid-link":
      return rejectLink();
    default:
      return answerRefusal(form, outcome, failure, { context });
  }
}

const rejectLink = () =>
  redirectWithToast(`${FORGOT_PASSWORD_PATH}?old`, toasts.passwordResetLinkInvalid);

export default function ResetPassword() {
  return <PasswordResetPage {...useLoaderData<typeof loader>()} />;
}
