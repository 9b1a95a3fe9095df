import type {
  ActionFunctionArgs,
  LinksFunction,
  LoaderFunctionArgs,
  MetaFunction,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ownsPasskeys } from "~/features/accounts/passkeys/manage-passkeys.server";
import { verifyIdentity } from "~/features/accounts/verify-identity.server";
import { requireAccount } from "~/features/accounts/viewer.server";
import { ACCOUNT_PATH, verifyPath } from "~/features/my-account/account-paths";
import accountStyles from "~/features/my-account/my-account.css";
import { VerifyPage } from "~/features/my-account/verify-page";
import { unlistedMeta } from "~/features/seo/page-meta";
import { answerForm, answerRefusal, limitForm } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";
import * as toasts from "~/toast-messages";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: accountStyles }];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Is this you?", "Enter your password to continue.");

export const handle: RouteHandle = { metricsName: ACCOUNT_PATH };

export async function loader(args: LoaderFunctionArgs) {
  const { userId, viewer } = await requireAccount(args);
  const next = new URL(args.request.url).searchParams.get("next");
  const hasPasskeys = await ownsPasskeys(userId);
  return { email: viewer.user.email, next: accountPage(next), hasPasskeys };
}

/** Verifies the password again, and leads to the page that asked for it. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readPageForm(request);
  const account = await requireAccount(args);
  const next = accountPage(form.fields.next);
  const failure = (message?: string) => ({
    toast: toasts.accountFailed(message),
    redirectTo: verifyPath(next),
  });
  const attempt = { form, context, account: account.userId };
  const limited = await limitForm("verify-identity", attempt, failure);
  if (limited) return limited;

  const outcome = await verifyIdentity(account, form.fields.password, context.clientAddress);
  if (outcome.kind !== "verified") return answerRefusal(form, outcome, failure, { context });
  return answerForm(form, { toast: toasts.identityVerified, redirectTo: next });
}

/** The path of a page of the account or the desk to continue with; that of the account for any other text. */
function accountPage(next: unknown): string {
  const path = safeRedirect(next, ACCOUNT_PATH);
  return /^\/(?:account|desk)(?:$|[/#?])/.test(path) ? path : ACCOUNT_PATH;
}

export default function Verify() {
  return <VerifyPage {...useLoaderData<typeof loader>()} />;
}
