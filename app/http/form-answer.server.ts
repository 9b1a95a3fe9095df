import { type AppLoadContext, json, redirect } from "@remix-run/node";
import type { ToastMessage } from "~/toast-messages";
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

/**
 * Turns a form away for now: 429 or 503 with Retry-After. A status of its own leaves no room for a
 * redirect, so for a plain form the HTTP process renders the page the form belongs to in place, with
 * the toast on it (`site.server.ts`); under remix-serve the toast's words are all there is.
 */
export async function rejectForm(
  { wantsJson }: Pick<FormBody, "wantsJson">,
  { toast, redirectTo, email, body }: FormOutcome & { toast: ToastMessage },
  { status, seconds, context }: { status: 429 | 503; seconds: number; context: AppLoadContext },
): Promise<Response> {
  const headers = new Headers({ "Retry-After": String(seconds), "Cache-Control": "no-store" });
  if (wantsJson) {
    const error = body?.error ?? toast.description ?? toast.title;
    return json({ toast, redirectTo, ...body, error }, { status, headers });
  }
  context.refusedForm = {
    page: redirectTo,
    flashCookie: await setFlash(toast, email),
    retryAfter: String(seconds),
    status,
  };
  return new Response(toast.description ?? toast.title, { status, headers });
}
