import { type AppLoadContext, redirect } from "@remix-run/node";
import type { ToastMessage } from "~/toast-messages";
import { type FlashNotice, setFlash } from "./flash.server";
import { type Attempt, checkRateLimit, type Limited, waitMessage } from "./rate-limits.server";
import { BUSY_MESSAGE, type FieldValue, type FormBody } from "./request-body.server";

/** The response to a form, independent of the format (redirect or JSON) it is sent in. */
export type FormAnswer = {
  toast: ToastMessage | null;
  /**
   * Where a form post is redirected, and where a page with JavaScript should navigate; a path on this site.
   */
  redirectTo: string;
  /** Status of the JSON answer; a form post is always answered with 303. */
  status?: number;
  /** Additional properties of the JSON response. */
  body?: Record<string, unknown>;
  /** The email field as submitted, to refill the form after a failure; ignored unless it is a string. */
  email?: FieldValue | null;
  /** A notice on the next page beside the toast. */
  notice?: FlashNotice;
  headers?: Headers;
};

/**
 * Answers a form in kind: a JSON body with JSON; a plain form with a 303 that carries the toast in the flash
 * cookie, so that reloading the resulting page does not post again.
 */
export async function answerForm(
  { wantsJson }: Pick<FormBody, "wantsJson">,
  answer: FormAnswer,
): Promise<Response> {
  const headers = answer.headers ?? new Headers();
  headers.set("Cache-Control", "no-store");
  if (wantsJson) {
    if (answer.notice) headers.append("Set-Cookie", await setFlash(null, null, answer.notice));
    return Response.json(
      { toast: answer.toast, redirectTo: answer.redirectTo, ...answer.body },
      { status: answer.status ?? 200, headers },
    );
  }
  if (answer.toast) {
    headers.append("Set-Cookie", await setFlash(answer.toast, textOf(answer.email), answer.notice));
  }
  return redirect(answer.redirectTo, { status: 303, headers });
}

/**
 * Answers a form that failed: a JSON body with the toast's description as `error`, unless `body` sets one.
 */
export function failForm(
  form: Pick<FormBody, "wantsJson">,
  status: number,
  { toast, body, ...rest }: FormAnswer & { toast: ToastMessage },
): Promise<Response> {
  return answerForm(form, { ...rest, toast, status, body: { error: toast.description, ...body } });
}

/** Why a feature did not do what a form asked for. */
export type Refusal =
  | { kind: "rejected"; message: string }
  /** Too much is waiting for the same work. */
  | { kind: "busy" }
  | { kind: "failed" };

/**
 * Answers a form that a feature refused: with `status` (422 if left out) if it was rejected, 503 if the feature is busy,
 * 500 if it failed. `failure` builds the response from the reason; `seconds` is the Retry-After, 5 if left out.
 */
export function answerRefusal(
  form: Pick<FormBody, "wantsJson">,
  outcome: Refusal,
  failure: (message?: string) => Rejection,
  {
    status = 422,
    seconds = BUSY_RETRY_SECONDS,
    context,
  }: { status?: number; seconds?: number; context: AppLoadContext },
): Promise<Response> {
  switch (outcome.kind) {
    case "rejected":
      return failForm(form, status, failure(outcome.message));
    case "busy":
      return rejectForm(form, failure(BUSY_MESSAGE), { status: 503, seconds, context });
    case "failed":
      return failForm(form, 500, failure());
  }
}

/** Redirects a plain form or an opened link to a page, with a toast unless the page itself says what happened. */
export function redirectWithToast(
  redirectTo: string,
  toast: ToastMessage | null,
): Promise<Response> {
  return answerForm({ wantsJson: false }, { toast, redirectTo });
}

/** Retry-After of a busy site: about as long as the work in its queues takes. */
export const BUSY_RETRY_SECONDS = 5;

/** The response to a form that is rejected for now. */
type Rejection = Pick<FormAnswer, "redirectTo" | "email" | "body"> & { toast: ToastMessage };

/**
 * Counts an attempt to submit a form (`checkRateLimit`). Returns null, or the 429 response that rejects it,
 * built by `failure` from the sentence that says how long to wait.
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
 * Rejects a form for now: 429 or 503 with Retry-After. With such a status the response cannot be a redirect,
 * so for a plain form the HTTP process renders the form's page in place, with the toast on it
 * (`site.server.ts`); under remix-serve the response is the toast's text alone.
 */
async function rejectForm(
  { wantsJson }: Pick<FormBody, "wantsJson">,
  { toast, redirectTo, email, body }: Rejection,
  { status, seconds, context }: { status: 429 | 503; seconds: number; context: AppLoadContext },
): Promise<Response> {
  const headers = new Headers({ "Retry-After": String(seconds), "Cache-Control": "no-store" });
  if (wantsJson) {
    const error = body?.error ?? toast.description ?? toast.title;
    return Response.json({ toast, redirectTo, ...body, error }, { status, headers });
  }
  context.rejectedForm = {
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
