import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { findUser } from "~/features/accounts/viewer.server";
import { READING_SETTINGS_PATH } from "~/features/library/reading-settings";
import { saveReadingSettings } from "~/features/library/reading-settings.server";
import { answerForm } from "~/http/form-answer.server";
import { errorResponse, readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";

export const handle: RouteHandle = { metricsName: READING_SETTINGS_PATH };

export const loader = () => redirect("/");

/** Saves a reading setting that a member, or a reader of the free preview, has chosen. */
export async function action(args: ActionFunctionArgs) {
  const form = await readForm(args.request);
  const user = await findUser(args);
  const cookies = args.request.headers.get("Cookie");
  const kept = await saveReadingSettings({ user, cookies }, form.fields);
  if (!kept) throw errorResponse(400, "There is no such reading setting.");
  return answerForm(form, {
    toast: null,
    redirectTo: safeRedirect(form.fields.redirectTo),
    headers: new Headers({ "Set-Cookie": kept }),
  });
}
