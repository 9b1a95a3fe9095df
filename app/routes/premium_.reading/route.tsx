import { type ActionFunctionArgs, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { requireSubscriber } from "~/features/accounts/viewer.server";
import { CHAPTERS_PATH } from "~/features/library/library-paths";
import { changeReadingSettings } from "~/features/library/reading-settings";
import {
  keepReadingSettings,
  readReadingSettings,
} from "~/features/library/reading-settings-cookie.server";
import { answerForm } from "~/http/form-answer.server";
import { errorResponse, readForm } from "~/http/request-body.server";
import type { RouteHandle } from "~/http/route-handle";
import { safeRedirect } from "~/http/safe-redirect";

export const handle: RouteHandle = { metricsName: "/premium/reading" };

export async function loader(args: LoaderFunctionArgs) {
  await requireSubscriber(args);
  return redirect(CHAPTERS_PATH);
}

/** Saves the text size or the theme that a member has chosen. */
export async function action(args: ActionFunctionArgs) {
  const { request } = args;
  const form = await readForm(request);
  await requireSubscriber(args);
  const current = await readReadingSettings(request.headers.get("Cookie"));
  const changed = changeReadingSettings(current, form.fields);
  if (!changed) throw errorResponse(400, "There is no such text size or theme.");
  return answerForm(form, {
    toast: null,
    redirectTo: safeRedirect(form.fields.redirectTo, CHAPTERS_PATH),
    headers: new Headers({ "Set-Cookie": await keepReadingSettings(changed) }),
  });
}
