import type { ActionFunctionArgs } from "@remix-run/node";
import { answerForm } from "~/http/form-answer.server";
import { readPageForm } from "~/http/page-form.server";
import { log } from "~/observability/log.server";
import { type ToastMessage, toasts } from "~/toast-messages";
import { confirmSubscriber } from "~db/queries/subscribers";
import { confirmPath } from "./subscriber-links.server";
import { readSubscriberToken } from "./subscriber-token.server";

/**
 * Guard of the confirmation page: the link's token, which only the form's post makes use of, because
 * programs that look at mail open links too. Throws a redirect with a toast for a forged link.
 */
export async function requireConfirmToken(request: Request): Promise<string> {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  if (!readSubscriberToken("confirm", token))
    throw await leadHome(toasts.newsletterConfirmLinkInvalid);
  return token;
}

/** Makes the holder's address count. Confirming twice is as good as once. */
export async function confirmWithForm({
  request,
  context,
}: Pick<ActionFunctionArgs, "request" | "context">): Promise<Response> {
  const { fields } = await readPageForm(request, context);
  const id = readSubscriberToken("confirm", fields.token);
  if (!id) return leadHome(toasts.newsletterConfirmLinkInvalid);
  try {
    const confirmed = await confirmSubscriber(id, new Date());
    if (confirmed) log().info({ subscriberId: id }, "newsletter address confirmed");
    return await leadHome(
      confirmed ? toasts.newsletterConfirmed : toasts.newsletterConfirmLinkInvalid,
    );
  } catch (error) {
    log().error({ err: error }, "newsletter confirmation failed");
    return answerForm(
      { wantsJson: false },
      { toast: toasts.newsletterConfirmFailed, redirectTo: confirmPath(id) },
    );
  }
}

function leadHome(toast: ToastMessage): Promise<Response> {
  return answerForm({ wantsJson: false }, { toast, redirectTo: "/#newsletter" });
}
