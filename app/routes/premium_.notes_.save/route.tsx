import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findSession, findViewer, requireSubscriber } from "~/features/accounts/viewer.server";
import {
  NOTE_FORM_LIMIT,
  readPostedNote,
  saveNote,
} from "~/features/library/notes/save-note.server";
import { checkRateLimit, waitMessage } from "~/http/rate-limits.server";
import { errorResponse, readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import * as toasts from "~/toast-messages";

export const handle: RouteHandle = { metricsName: "/premium/notes" };

export async function loader(args: LoaderFunctionArgs) {
  await requireSubscriber(args);
  return redirect("/premium");
}

/**
 * Saves notes while they are written, as a page with JavaScript posts them. The response has the stored version and the
 * parts of it that the posted text lacks.
 */
export async function action(args: ActionFunctionArgs) {
  const { request, context } = args;
  // before a form of this size is read, which takes long
  const isJson = /^application\/json\b/i.test(request.headers.get("Content-Type") ?? "");
  if (request.method === "POST" && !isJson) throw errorResponse(415, "Send this as JSON.");
  const form = await readForm(request, NOTE_FORM_LIMIT);
  const posted = readPostedNote(form.fields);
  if (!posted) return answer(400, { error: "Something is missing." });
  if ((await findSession(args)) === "unknown") return answer(503);
  const viewer = await findViewer(args);
  if (!viewer) return answer(401, { error: "You’re logged out.", signedOut: true });
  const seconds = await checkRateLimit("notes", { context, account: viewer.user.id });
  if (seconds !== null) {
    return answer(429, { error: waitMessage(seconds) }, { "Retry-After": String(seconds) });
  }

  const outcome = await saveNote(posted, viewer);
  switch (outcome.kind) {
    case "saved": {
      const { version, insertions, isOver } = outcome;
      const end = isOver ? { toast: toasts.notesSavedAfterEnd, redirectTo: "/" } : {};
      return answer(200, { version, insertions, ...end });
    }
    case "other-owner":
      return answer(403, { error: "Another account is logged in.", signedOut: true });
    case "too-long":
      return answer(422, { error: outcome.message });
    case "unknown-text":
      return answer(404, { error: "This text is no longer part of the book." });
    case "never-member":
      return answer(403, { error: "Notes are for members." });
    case "failed":
      return answer(500);
  }
}

const answer = (status: number, body: object = {}, headers: Record<string, string> = {}) =>
  Response.json(body, { status, headers: { "Cache-Control": "private, no-store", ...headers } });
