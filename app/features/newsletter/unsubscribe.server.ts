import type { ActionFunctionArgs } from "@remix-run/node";
import { answerForm } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { refusal } from "~/http/request-body.server";
import { log } from "~/observability/log.server";
import { type ToastMessage, toasts } from "~/toast-messages";
import { deleteSubscriber } from "~db/queries/subscribers";
import { unsubscribePath } from "./subscriber-links.server";
import { readSubscriberToken } from "./subscriber-token.server";

/**
 * Guard of the unsubscribe page: the link's token, which opening the page makes no use of. Throws a
 * redirect with a toast for a link that is forged or was cut short.
 */
export async function requireUnsubscribeToken(request: Request): Promise<string> {
  const token = tokenInAddress(request);
  if (!readSubscriberToken("unsubscribe", token))
    throw await leadHome(toasts.unsubscribeLinkInvalid);
  return token;
}

/** What a mail program's own unsubscribe button is answered with. */
export type OneClickAnswer = { unsubscribed: true };

/**
 * Takes the holder's address off the list; doing it twice is as good as once. A form leads home with a
 * toast. A mail program's one-click post (RFC 8058), which sends neither cookies nor the form's field
 * and follows no redirects, gets a plain success, or an error status on which it may try again.
 */
export async function unsubscribeWithForm({
  request,
  context,
}: Pick<ActionFunctionArgs, "request" | "context">): Promise<Response | OneClickAnswer> {
  const { fields } = await readPageForm(request, context);
  const oneClick = fields["List-Unsubscribe"] === "One-Click";
  const id = readSubscriberToken("unsubscribe", fields.token ?? tokenInAddress(request));
  if (!id) {
    if (oneClick) throw refusal(400, "This link is not complete.");
    return leadHome(toasts.unsubscribeLinkInvalid);
  }
  try {
    if (await deleteSubscriber(id)) log().info({ subscriberId: id, oneClick }, "unsubscribed");
  } catch (error) {
    log().error({ err: error }, "unsubscribing failed");
    if (oneClick) throw refusal(503, "Please try again later.", { "Retry-After": "60" });
    return answerForm(
      { wantsJson: false },
      { toast: toasts.unsubscribeFailed, redirectTo: unsubscribePath(id) },
    );
  }
  return oneClick ? { unsubscribed: true } : leadHome(toasts.unsubscribed);
}

function tokenInAddress(request: Request): string {
  return new URL(request.url).searchParams.get("token") ?? "";
}

function leadHome(toast: ToastMessage): Promise<Response> {
  return answerForm({ wantsJson: false }, { toast, redirectTo: "/" });
}
