import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { LOG_IN_AS } from "~/features/accounts/unsaved-form";
import { findViewer, requireSubscriber } from "~/features/accounts/viewer.server";
import { NOTES_PATH } from "~/features/library/library-paths";
import {
  NOTE_FORM_LIMIT,
  readPostedNote,
  saveNote,
} from "~/features/library/notes/save-note.server";
import { redirectWithToast } from "~/http/form-answer.server";
import { keepForm } from "~/http/keep-form.server";
import { readPageForm } from "~/http/page-form.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { errorResponse } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/premium/notes" };

export async function loader(args: LoaderFunctionArgs) {
  await requireSubscriber(args);
  return redirect("/premium");
}

/**
 * Saves notes that were posted as a form, and redirects back to them. If they cannot be saved, or the session has ended
 * meanwhile, they are kept (`keepForm`).
 */
export async function action(args: ActionFunctionArgs) {
  const { fields } = await readPageForm(args.request, NOTE_FORM_LIMIT);
  const posted = readPostedNote(fields);
  if (!posted) throw errorResponse(400, "The notes couldn’t be read.");
  const keep = (message?: string) =>
    keepForm(NOTES_PATH, message === undefined ? null : toasts.notesFailed(message));
  const viewer = await findViewer(args);
  // a user who has just signed in may save the text on their screen, even if another wrote it
  const adopts = fields[LOG_IN_AS] !== undefined;
  if (!viewer || (viewer.user.id !== posted.owner && !adopts)) return keep();
  const seconds = await checkRateLimit("notes", {
    context: args.context,
    account: viewer.user.id,
  });
  if (seconds !== null) return keep(waitMessage(seconds));
  const outcome = await saveNote(posted, viewer, { adopts });
  switch (outcome.kind) {
    case "saved": {
      const { isOver, insertions, path } = outcome;
      const toast = insertions.length > 0 ? toasts.notesMerged : toasts.notesSaved;
      return isOver
        ? redirectWithToast("/", toasts.notesSavedAfterEnd)
        : redirectWithToast(`${path}#notes`, toast);
    }
    case "too-long":
      return keep(outcome.message);
    case "unknown-text":
      return keep("This text is no longer part of the book.");
    case "never-member":
      return redirectWithToast("/", null);
    case "other-owner":
    case "failed":
      return keep("Something went wrong. Please try again.");
  }
}
