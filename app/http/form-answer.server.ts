import { type AppLoadContext, json, redirect } from "@remix-run/node";
import type { ToastMessage } from "~/toast-messages";
import { setFlash } from "./flash.server";
import { type Attempt, checkRateLimit, type Limited, waitMessage } from "./rate-limits.server";
import { BUSY_MESSAGE, type FieldValue, type FormBody } from "./request-body.server";

/** What a form is answered, before it is known in which of its two shapes the answer goes out. */
export type FormAnswer = {
  toast: ToastMessage | null;
  /** Where a form post lands, and where a page with JavaScript should go; a path on this site. */
  redirectTo: string;
  /** Status of the JSON answer; a form post is always answered with 303. */
  status?: number;
  /** Further members of the JSON answer. */
  body?: Record<string, unknown>;
  /** The e-mail field as it was sent, to put back into the form after a failure; only a text is. */
  email?: FieldValue | null;
  headers?: Headers;
};

/**
 * Answers a form in the shape it came in: JSON to a JSON body; to a plain form a 303 that carries the
 * toast in the flash cookie, so that reloading the page it leads to posts nothing twice.
 */
export async function answerForm(
  { wantsJson }: Pick<FormBody, "wantsJson">,
  answer: FormAnswer,
): Promise<Response> {
  const headers = answer.headers ?? new Headers();
  headers.set("Cache-Control", "no-store");
  if (wantsJson) {
    return json(
      { toast: answer.toast, redirectTo: answer.redirectTo, ...answer.body },
      { status: answer.status ?? 200, headers },
    );
  }
  if (answer.toast) {
    headers.append("Set-Cookie", await setFlash(answer.toast, textOf(answer.email)));
  }
  return redirect(answer.redirectTo, { status: 303, headers });
}

/** Answers a form that failed: to a JSON body with the toast's words as `error`, unless `body` has its own. */
export function failForm(
  form: Pick<FormBody, "wantsJson">,
  status: number,
  { toast, body, ...rest }: FormAnswer & { toast: ToastMessage },
): Promise<Response> {
  return answerForm(form, { ...rest, toast, status, body: { error: toast.description, ...body } });
}

/** The answer that leads a plain form, or whoever opened a link, to a page with a toast. */
export function redirectWithToast(redirectTo: string, toast: ToastMessage): Promise<Response> {
  return answerForm({ wantsJson: false }, { toast, redirectTo });
}

/** What is said of a form that is turned away for now. */
type Rejection = Pick<FormAnswer, "redirectTo" | "email" | "body"> & { toast: ToastMessage };

/**
 * Counts an attempt to send a form (`checkRateLimit`). Gives null, or the 429 that turns it away, with what
 * `failure` makes of the sentence that says how long to wait.
 */
export async function limitForm(
  limited: Limited,
  { form, ...attempt }: Attempt & { form: Pick<FormBody, "wantsJson"> },
  failure: (message: string) => Rejection,
): Promise<Response | null> {
  const seconds = await checkRateLimit(limited, attempt);
  if (seconds === null) return null;
  const { context } = attempt;
  return rejectForm(form, failure(waitMessage(seconds)), { status: 429, seconds, context });
}

/**
 * Turns a form away with a 503 because the site has too much to do, with what `failure` makes of the sentence
 * that says so. `seconds` are those after which it makes sense to try again.
 */
export function rejectBusyForm(
  form: Pick<FormBody, "wantsJson">,
  { seconds, context }: { seconds: number; context: AppLoadContext },
  failure: (message: string) => Rejection,
): Promise<Response> {
  return rejectForm(form, failure(BUSY_MESSAGE), { status: 503, seconds, context });
}

/**
 * Turns a form away for now: 429 or 503 with Retry-After. A status of its own leaves no room for a
 * redirect, so for a plain form the HTTP process renders the page the form belongs to in place, with
 * the toast on it (`site.server.ts`); under remix-serve the toast's words are all there is.
 */
async function rejectForm(
  { wantsJson }: Pick<FormBody, "wantsJson">,
  { toast, redirectTo, email, body }: Rejection,
  { status, seconds, context }: { status: 429 | 503; seconds: number; context: AppLoadContext },
): Promise<Response> {
  const headers = new Headers({ "Retry-After": String(seconds), "Cache-Control": "no-store" });
  if (wantsJson) {
    const error = body?.error ?? toast.description ?? toast.title;
    return json({ toast, redirectTo, ...body, error }, { status, headers });
  }
  context.refusedForm = {
    page: redirectTo,
    flashCookie: await setFlash(toast, textOf(email)),
    retryAfter: String(seconds),
    status,
  };
  return new Response(toast.description ?? toast.title, { status, headers });
}

function textOf(field: FieldValue | null): string | null {
  return typeof field === "string" ? field : null;
}
