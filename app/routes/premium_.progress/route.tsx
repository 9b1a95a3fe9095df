import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findSession, findViewer, requireSubscriber } from "~/features/accounts/viewer.server";
import { CHAPTERS_PATH, documentPath, MARK_AS_READ_ID } from "~/features/library/library-paths";
import { type ProgressOutcome, recordProgress } from "~/features/library/reading-progress.server";
import { requireEdition } from "~/features/library/require-reader.server";
import { answerForm, failForm, limitForm } from "~/http/form-answer.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

// posted every few seconds, so not worth an info line
export const handle: RouteHandle = { metricsName: "/premium/progress", logLevel: "debug" };

export async function loader(args: LoaderFunctionArgs) {
  await requireSubscriber(args);
  return redirect(CHAPTERS_PATH);
}

/**
 * Marks a text as read or unread, or stores the position in it. For anyone but a member nothing is written: a form
 * leads to the landing page (specification, 2), a JSON body gets a 403 with that address.
 */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  if ((await findSession(args)) === "unknown") {
    return failForm(form, 503, { toast: toasts.progressFailed, redirectTo: CHAPTERS_PATH });
  }
  const viewer = await findViewer(args);
  if (!viewer?.isSubscribed) {
    return answerForm(form, { toast: null, redirectTo: "/", status: 403 });
  }
  const limited = await limitForm("progress", { form, context, account: viewer.user.id }, () => ({
    toast: toasts.progressFailed,
    redirectTo: CHAPTERS_PATH,
  }));
  if (limited) return limited;

  const reader = { userId: viewer.user.id, edition: await requireEdition() };
  const outcome = await recordProgress(reader, form.fields);
  const { status, toast } = ANSWERS[outcome.kind];
  return answerForm(form, { status, toast, redirectTo: pathAfter(outcome) });
}

function pathAfter(outcome: ProgressOutcome): string {
  if (outcome.kind === "went-on" && outcome.next) return documentPath(outcome.next);
  if (outcome.kind === "went-on" || !("entry" in outcome)) return CHAPTERS_PATH;
  return `${documentPath(outcome.entry)}#${MARK_AS_READ_ID}`;
}

const ANSWERS: Record<
  ProgressOutcome["kind"],
  { status: number; toast: toasts.ToastMessage | null }
> = {
  "marked-read": { status: 200, toast: toasts.markedRead },
  "went-on": { status: 200, toast: toasts.markedRead },
  "marked-unread": { status: 200, toast: toasts.markedUnread },
  "position-saved": { status: 200, toast: null },
  "unknown-text": { status: 404, toast: toasts.progressFailed },
  invalid: { status: 422, toast: toasts.progressFailed },
  failed: { status: 503, toast: toasts.progressFailed },
};
