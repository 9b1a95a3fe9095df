import { ApiError, type ApiErrorBody } from "../engine/api-error";
import type { Log } from "../engine/log";
import { BodyTooLarge } from "../http/exchange";

/** What the API answers, before it is sent or spoilt by a fault. */
export type ApiResponse = { status: number; body: string; headers: Record<string, string> };

/** The answer with an object. */
export function okResponse(object: object): ApiResponse {
  return { status: 200, body: JSON.stringify(object), headers: {} };
}

/** The answer with Stripe's error JSON. */
export function errorResponse(status: number, error: ApiErrorBody): ApiResponse {
  return { status, body: JSON.stringify({ error }), headers: {} };
}

/** The answer to a request that failed with an error; one that is not an ApiError is logged. */
export function toErrorResponse(error: unknown, log: Log): ApiResponse {
  if (error instanceof ApiError) {
    const answer = errorResponse(error.status, error.body);
    if (error.status === 401) answer.headers["WWW-Authenticate"] = 'Bearer realm="Stripe"';
    return answer;
  }
  if (error instanceof BodyTooLarge) {
    // The rest of the body is not read, so the connection cannot be used again.
    return {
      ...errorResponse(413, { type: "invalid_request_error", message: "Request too large." }),
      headers: { Connection: "close" },
    };
  }
  log({ msg: "sandbox failure", error: error instanceof Error ? error.stack : String(error) });
  return errorResponse(500, {
    type: "api_error",
    message: "The sandbox failed; its log says how.",
  });
}
