import type { ActionFunctionArgs, LinksFunction, MetaFunction } from "@remix-run/node";
import { useSearchParams } from "@remix-run/react";
import { emailSchema } from "~/environment/email-address.server";
import authStyles from "~/features/accounts/auth-page.css";
import { FORGOT_PASSWORD_PATH } from "~/features/accounts/auth-paths";
import { firstProblem } from "~/features/accounts/credentials";
import { findDestination } from "~/features/accounts/destination-cookie.server";
import { findKnownBrowser } from "~/features/accounts/known-browser.server";
import { requestPasswordReset } from "~/features/accounts/password-reset-request.server";
import { PasswordResetRequestPage } from "~/features/accounts/password-reset-request-page";
import { useRootData } from "~/features/accounts/root-data";
import { unlistedMeta } from "~/features/seo/page-meta";
import { answerForm, limitForm } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: authStyles }];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(
    matches,
    "Forgot your password?",
    "Get a link to choose a new password for your account.",
  );

/** Requests a reset link; the response does not reveal whether the address has an account. */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readPageForm(request);
  const parsed = emailSchema.safeParse(form.fields.email);
  const failure = (message?: string) => ({
    toast: toasts.passwordResetFailed(message),
    redirectTo: FORGOT_PASSWORD_PATH,
    email: form.fields.email,
  });
  if (!parsed.success) return answerForm(form, failure(firstProblem(parsed.error)));
  const account = parsed.data;
  const knownBrowser = await findKnownBrowser(request, account);
  const limited = await limitForm("reset", { form, context, account, knownBrowser }, failure);
  if (limited) return limited;

  const { kind } = await requestPasswordReset(account, await findDestination(request));
  if (kind !== "accepted") return answerForm(form, failure());
  const redirectTo = `${FORGOT_PASSWORD_PATH}?sent`;
  return answerForm(form, { toast: toasts.passwordResetRequested, redirectTo });
}

export const handle: RouteHandle = { metricsName: "/auth" };

export default function ForgotPassword() {
  const [search] = useSearchParams();
  const { form } = useRootData();
  return (
    <PasswordResetRequestPage
      email={form?.email ?? null}
      after={search.has("sent") ? "sent" : search.has("old") ? "old" : null}
    />
  );
}
