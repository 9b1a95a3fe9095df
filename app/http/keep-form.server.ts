import { redirect } from "@remix-run/node";

import { log } from "~/observability/log.server";
import type { ToastMessage } from "~/toast-messages";
import { setFlash } from "./flash.server";
import type { FieldValue } from "./request-body.server";
import { UNSAVED_PATH } from "./unsaved-path";

/**
 * Answers a plain form that cannot be saved, such as one whose session has ended: the browser posts it again to the page
 * that keeps it (307), which logs in if needed and posts it back to `to`, one of `KEPT_FORMS`.
 */
export async function keepForm(to: string, toast: ToastMessage | null = null): Promise<Response> {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (toast) headers.append("Set-Cookie", await setFlash(toast));
  return redirect(`${UNSAVED_PATH}?to=${encodeURIComponent(to)}`, { status: 307, headers });
}

/** Answers a form by `work`; if that fails unexpectedly, keeps the form, unless it has no `text` that could be lost. */
export async function doneOrKept<Answer>(
  to: string,
  text: FieldValue,
  work: () => Promise<Answer>,
): Promise<Answer | Response> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Response || text === undefined) throw error;
    log().error({ err: error }, "a text could not be saved");
    return keepForm(to);
  }
}
