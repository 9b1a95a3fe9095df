import { json, redirect } from "@remix-run/node";
import type { ToastMessage } from "~/ui/toast-messages";
import { setFlash } from "./flash.server";
import type { FormBody } from "./request-body.server";

/** How a form's work ended, before it is known in which of its two shapes the answer goes out. */
export type FormOutcome = {
  toast: ToastMessage | null;
  /** Where a form post lands, and where a page with JavaScript should go; a path on this site. */
  redirectTo: string;
  /** Status of the JSON answer; a form post is always answered with 303. */
  status?: number;
  /** Further members of the JSON answer. */
  body?: Record<string, unknown>;
  /** The e-mail to put back into the form after a failure. */
  email?: string | null;
  headers?: Headers;
};

/**
 * Answers a form in the shape it came in: JSON to a JSON body; to a plain form a 303 that carries the
 * toast in the flash cookie, so that reloading the page it leads to posts nothing twice.
 */
export async function answerForm(
  { wantsJson }: Pick<FormBody, "wantsJson">,
  outcome: FormOutcome,
): Promise<Response> {
  const headers = outcome.headers ?? new Headers();
  headers.set("Cache-Control", "no-store");
  if (wantsJson) {
    return json(
      { toast: outcome.toast, redirectTo: outcome.redirectTo, ...outcome.body },
      { status: outcome.status ?? 200, headers },
    );
  }
  if (outcome.toast) {
    headers.append("Set-Cookie", await setFlash(outcome.toast, outcome.email));
  }
  return redirect(outcome.redirectTo, { status: 303, headers });
}
