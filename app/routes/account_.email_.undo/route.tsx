import type { ActionFunctionArgs, LoaderFunctionArgs, MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { readableEmail } from "~/environment/email-address.server";
import { forgetSession } from "~/features/accounts/sessions.server";
import {
  oldLinkPath,
  UNDO_EMAIL_CHANGE_PATH,
  undoEmailChangePath,
} from "~/features/my-account/account-paths";
import { lookUpEmailChange, undoEmailChange } from "~/features/my-account/change-email.server";
import { unlistedMeta } from "~/features/seo/page-meta";
import { answerForm, answerRefusal, limitForm, redirectWithToast } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import type { RouteHandle } from "~/http/route-handle";
import { secretInAddress, secretLinkHeaders, secretLinkMeta } from "~/http/secret-link";
import * as toasts from "~/toast-messages";
import { MailedLinkPage } from "~/ui/mailed-link-page";

export const headers = secretLinkHeaders;

export const meta: MetaFunction = ({ matches }) => [
  ...unlistedMeta(matches, "Take your account back", "Undo a change of address."),
  secretLinkMeta,
];

export const handle: RouteHandle = { metricsName: "/account" };

/** Requires no session, because somebody else may have taken over the account. */
export async function loader({ request }: LoaderFunctionArgs) {
  const token = secretInAddress(request);
  const change = await lookUpEmailChange("undo", token);
  if (!change) throw await rejectLink();
  return { token, oldEmail: readableEmail(change.oldEmail) };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readPageForm(request);
  const { token } = form.fields;
  const redirectTo =
    typeof token === "string" ? undoEmailChangePath(encodeURIComponent(token)) : "/";
  const failure = (message?: string) => ({ toast: toasts.accountFailed(message), redirectTo });
  const limited = await limitForm("new-password", { form, context }, failure);
  if (limited) return limited;
  const outcome = await undoEmailChange(token, context.clientAddress);
  switch (outcome.kind) {
    case "undone": {
      const headers = new Headers({ "Set-Cookie": await forgetSession() });
      const toast = outcome.hasRemoved ? toasts.emailChangeUndoneAndMore : toasts.emailChangeUndone;
      return answerForm(form, { toast, redirectTo: outcome.resetPath, headers });
    }
    case "invalid-link":
      return rejectLink();
    default:
      return answerRefusal(form, outcome, failure, { context });
  }
}

const rejectLink = () => redirectWithToast(oldLinkPath("undo"), null);

export default function UndoEmailChange() {
  const { token, oldEmail } = useLoaderData<typeof loader>();
  return (
    <MailedLinkPage
      eyebrow="Your account"
      heading="Take your account back"
      action={UNDO_EMAIL_CHANGE_PATH}
      token={token}
      label="This is my account"
    >
      Your account goes back to {oldEmail}, everyone is logged out, and you choose a new password.
      Passkeys and a podcast address added in the week before the change or since are removed,
      because they may be someone else’s. Older ones stay. Your account page lists them.
    </MailedLinkPage>
  );
}
