import { ApiError, type ApiErrorBody } from "../engine/api-error";
import type { Log } from "../engine/log";
import { BodyTooLarge } from "../http/exchange";

/** What the API answers, before it is sent or spoilt by a fault. */
export type Answer = { status: number; body: string; headers: Record<string, string> };

/** The answer with an object. */
export function okAnswer(object: object): Answer {
  return { status: 200, body: JSON.stringify(object), headers: {} };
}

/** The answer with Stripe's error JSON. */
export function errorAnswer(status: number, error: ApiErrorBody): Answer {
  return { status, body: JSON.stringify({ error }), headers: {} };
}

/** The answer to a request that failed with an error; one that is not an ApiError is logged. */
export function answerTo(error: unknown, log: Log): Answer {
  if (error instanceof ApiError) {
    const answer = errorAnswer(error.status, error.body);
    if (error.status === 401) answer.headers["WWW-Authenticate"] = 'Bearer realm="Stripe"';
    return answer;
  }
  if (error instanceof BodyTooLarge) {
    // The rest of the body is not read, so the connection cannot be used again.
    return {
      ...errorAnswer(413, { type: "invalid_request_error", message: "Request too large." }),
      headers: { Connection: "close" },
    };
  }
  log({ msg: "sandbox failure", error: error instanceof Error ? error.stack : String(error) });
  return errorAnswer(500, { type: "api_error", message: "The sandbox failed; its log says how." });
}
