import {
  type ActionFunctionArgs,
  type LinksFunction,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { forgetSession } from "~/features/accounts/sessions.server";
import { isRecentlyVerified } from "~/features/accounts/verify-identity.server";
import { requireAccount } from "~/features/accounts/viewer.server";
import { hasCommunity } from "~/features/community/discourse-connect.server";
import {
  ACCOUNT_PATH,
  DELETE_PATH,
  sectionPath,
  verifyPath,
} from "~/features/my-account/account-paths";
import { deleteAccount } from "~/features/my-account/delete-account.server";
import { DeletePage } from "~/features/my-account/delete-page";
import accountStyles from "~/features/my-account/my-account.css";
import { unlistedMeta } from "~/features/seo/page-meta";
import { answerForm } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const links: LinksFunction = () => [{ rel: "stylesheet", href: accountStyles }];

export const meta: MetaFunction = ({ matches }) =>
  unlistedMeta(matches, "Delete your account", "What is deleted, and what stays.");

export const handle: RouteHandle = { metricsName: ACCOUNT_PATH };

export async function loader(args: LoaderFunctionArgs) {
  const { viewer, session } = await requireAccount(args);
  if (!isRecentlyVerified(session)) throw redirect(verifyPath(DELETE_PATH));
  return { viewer, communityIsOpen: hasCommunity() };
}

/** Deletes the account, if its password was entered within the last ten minutes. */
export async function action(args: ActionFunctionArgs) {
  const { request } = args;
  const form = await readPageForm(request);
  const { userId, session } = await requireAccount(args);
  if (!isRecentlyVerified(session)) return redirect(verifyPath(DELETE_PATH), 303);
  const outcome = await deleteAccount(userId);
  switch (outcome.kind) {
    case "deleted": {
      const headers = new Headers({ "Set-Cookie": await forgetSession() });
      return answerForm(form, { toast: toasts.accountDeleted, redirectTo: "/", headers });
    }
    case "stripe-failed":
    case "failed": {
      const message = outcome.kind === "failed" ? undefined : outcome.message;
      return answerForm(form, {
        toast: toasts.accountFailed(message),
        redirectTo: sectionPath("delete"),
      });
    }
  }
}

export default function DeleteAccount() {
  return <DeletePage {...useLoaderData<typeof loader>()} />;
}
