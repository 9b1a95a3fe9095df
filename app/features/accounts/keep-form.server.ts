import { redirect } from "@remix-run/node";
import { setFlash } from "~/http/flash.server";
import type { ToastMessage } from "~/toast-messages";
import { type KeptForm, UNSAVED_PATH } from "./unsaved-form";

/**
 * Answers a plain form that cannot be saved, such as one whose session has ended: the browser posts it again to the page
 * that keeps it (307), which logs in if needed and posts it back.
 */
export async function keepForm(to: KeptForm, toast: ToastMessage | null = null): Promise<Response> {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (toast) headers.append("Set-Cookie", await setFlash(toast));
  return redirect(`${UNSAVED_PATH}?to=${encodeURIComponent(to)}`, { status: 307, headers });
}
