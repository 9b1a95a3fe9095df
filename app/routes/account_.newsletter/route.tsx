import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { requireAccount } from "~/features/accounts/viewer.server";
import { setNewTextsMailFor } from "~/features/library/new-texts/new-texts-consent.server";
import { sectionPath } from "~/features/my-account/account-paths";
import { type SubscribeOutcome, subscribe } from "~/features/newsletter/subscribe.server";
import { unsubscribe } from "~/features/newsletter/unsubscribe.server";
import { unsubscribeTokenOf } from "~/features/newsletter/unsubscribe-token.server";
import { answerForm, failForm, limitForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/account" };

const redirectTo = sectionPath("newsletter");

export const loader = () => redirect(redirectTo);

/** Subscribes the account's address to the newsletter or to mails about new texts, or unsubscribes it. */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const { id, email } = (await requireAccount(args)).viewer.user;
  const { intent, redirectTo: from } = form.fields;
  if (intent === "new-texts-on" || intent === "new-texts-off") {
    const isWanted = intent === "new-texts-on";
    const back = safeRedirect(from, redirectTo);
    return (await setNewTextsMailFor(id, isWanted))
      ? answerForm(form, { toast: toasts.newTextsMail(isWanted), redirectTo: back })
      : failForm(form, 500, { toast: toasts.accountFailed(), redirectTo: back });
  }
  const limited = await limitForm("newsletter", { form, context, account: email }, (message) => ({
    toast: toasts.subscribeLimited(message),
    redirectTo,
  }));
  if (limited) return limited;
  if (intent === "unsubscribe") {
    const { kind } = await unsubscribe(await unsubscribeTokenOf(email), false);
    return kind === "unsubscribed"
      ? answerForm(form, { toast: toasts.unsubscribed, redirectTo })
      : failForm(form, 500, { toast: toasts.unsubscribeFailed, redirectTo });
  }
  const { kind } = await subscribe(email, id);
  return answerForm(form, { ...ANSWERS[kind], redirectTo });
}

const ANSWERS: Record<SubscribeOutcome["kind"], { status: number; toast: toasts.ToastMessage }> = {
  empty: { status: 500, toast: toasts.subscribeFailed },
  invalid: { status: 422, toast: toasts.subscribeFailed },
  subscribed: { status: 200, toast: toasts.subscribed },
  "already-subscribed": { status: 200, toast: toasts.subscribed },
  failed: { status: 500, toast: toasts.subscribeFailed },
};
