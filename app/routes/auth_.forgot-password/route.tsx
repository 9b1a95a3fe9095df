import type { ActionFunctionArgs, MetaFunction } from "@remix-run/node";
import { useSearchParams } from "@remix-run/react";
import { requestPasswordReset } from "~/features/accounts/password-reset-request.server";
import { PasswordResetRequestPage } from "~/features/accounts/password-reset-request-page";
import { useRootData } from "~/features/accounts/root-data";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

export const meta: MetaFunction = ({ matches }) =>
  pageMeta(
    {
      title: pageTitle("Forgot your password?"),
      description: "Get a link to choose a new password for your account.",
      path: "/auth/forgot-password",
      noindex: true,
    },
    matches,
  );

export const handle: RouteHandle = { metricsName: "/auth" };

export const action = (args: ActionFunctionArgs) => requestPasswordReset(args);

export default function ForgotPassword() {
  const [search] = useSearchParams();
  const { form } = useRootData();
  return <PasswordResetRequestPage email={form?.email ?? null} sent={search.has("sent")} />;
}
