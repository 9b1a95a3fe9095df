import type {
  ActionFunctionArgs,
  HeadersFunction,
  LoaderFunctionArgs,
  MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { requirePasswordReset, resetPassword } from "~/features/accounts/password-reset.server";
import { PasswordResetPage } from "~/features/accounts/password-reset-page";
import { pageMeta } from "~/features/seo/page-meta";
import { pageTitle } from "~/features/seo/page-title";
import type { RouteHandle } from "~/http/route-handle";

/**
 * The address is a key: no other site may learn it, and no cache may keep the page. Not `no-referrer`:
 * under that a browser posts the page's form with `Origin: null`, which is refused as foreign.
 */
export const headers: HeadersFunction = () => ({
  "Referrer-Policy": "strict-origin",
  "Cache-Control": "private, no-store",
});

export const meta: MetaFunction = ({ matches }) => [
  ...pageMeta(
    {
      title: pageTitle("Choose a new password"),
      description: "Choose a new password for your account.",
      path: "/auth/reset-password",
      noindex: true,
    },
    matches,
  ),
  { name: "referrer", content: "strict-origin" },
];

export const handle: RouteHandle = { metricsName: "/auth" };

export const loader = ({ request }: LoaderFunctionArgs) => requirePasswordReset(request);

export const action = (args: ActionFunctionArgs) => resetPassword(args);

export default function ResetPassword() {
  return <PasswordResetPage {...useLoaderData<typeof loader>()} />;
}
