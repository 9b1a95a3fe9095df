import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findSession, findViewer, requireSubscriber } from "~/features/accounts/viewer.server";
import {
  type SaveHighlightOutcome,
  saveHighlight,
} from "~/features/library/highlights/save-highlight.server";
import { HIGHLIGHTS_PATH, SAVE_HIGHLIGHT_PATH } from "~/features/library/library-paths";
import { requireEdition } from "~/features/library/require-reader.server";
import { answerForm, failForm, limitForm } from "~/http/form-answer.server";
import { keepForm } from "~/http/keep-form.server";
import { readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/premium/highlights/save" };

export async function loader(args: LoaderFunctionArgs) {
  await requireSubscriber(args);
  return redirect(HIGHLIGHTS_PATH);
}

/**
 * Adds, changes or deletes a member's highlight. For anyone else nothing is written, as for reading progress. A form that
 * cannot be saved, or whose session has ended, is kept (`keepForm`).
 */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  const form = await readForm(request);
  const failure = (message?: string) => ({
    toast: toasts.highlightFailed(message),
    redirectTo: HIGHLIGHTS_PATH,
  });
  if ((await findSession(args)) === "unknown") return failForm(form, 503, failure());
  const viewer = await findViewer(args);
  if (!viewer) {
    return form.wantsJson
      ? failForm(form, 401, failure("You are signed out."))
      : keepForm(SAVE_HIGHLIGHT_PATH);
  }
  if (!viewer.isSubscribed) {
    return answerForm(form, { toast: null, redirectTo: "/", status: 403 });
  }
  const account = viewer.user.id;
  const limited = await limitForm("highlights", { form, context, account }, failure);
  if (limited) return limited;

  const member = { userId: account, edition: await requireEdition() };
  const outcome = await saveHighlight(member, form.fields);
  if (!("path" in outcome)) {
    const { status, message } = FAILURES[outcome.kind];
    const failed = failure(message);
    return form.wantsJson || form.fields.intent === "delete"
      ? failForm(form, status, failed)
      : keepForm(SAVE_HIGHLIGHT_PATH, failed.toast);
  }
  const { kind, id, path } = outcome;
  return answerForm(form, {
    toast: kind === "deleted" ? toasts.highlightDeleted : toasts.highlightSaved,
    redirectTo: safeRedirect(form.fields.redirectTo, path),
    body: { id },
  });
}

type Failure = Exclude<SaveHighlightOutcome, { path: string }>["kind"];

const FAILURES: Record<Failure, { status: number; message?: string }> = {
  invalid: { status: 422, message: "Choose some words, and keep the note to 5,000 characters." },
  "changed-text": { status: 409, message: "This text was just changed. Reload it and try again." },
  "too-long": { status: 422, message: "A highlight can have at most 5,000 characters." },
  "too-many": {
    status: 422,
    message: "You have 10,000 highlights, the most we can keep. Delete some to add more.",
  },
  unknown: { status: 404, message: "This highlight was deleted." },
  failed: { status: 503 },
};
