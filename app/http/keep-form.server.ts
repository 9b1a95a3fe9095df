import { redirect } from "@remix-run/node";

import type { ToastMessage } from "~/toast-messages";
import { setFlash } from "./flash.server";
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
