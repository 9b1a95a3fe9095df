import { ApiError, type ApiErrorBody } from "../engine/api-error";
import type { Log } from "../engine/sandbox";
import { BodyTooLarge } from "../http/exchange";

/** An API response before it is sent. */
export type ApiResponse = { status: number; body: string; headers: Record<string, string> };

/** Creates a response with an object. */
export function okResponse(object: object): ApiResponse {
  return { status: 200, body: JSON.stringify(object), headers: {} };
}

/** Creates a response with Stripe's error JSON. */
export function errorResponse(status: number, error: ApiErrorBody): ApiResponse {
  return { status, body: JSON.stringify({ error }), headers: {} };
}

/** Creates the response to a failed request. An error that is not the client's is logged and becomes a 500. */
export function toErrorResponse(error: unknown, log: Log): ApiResponse {
  if (error instanceof ApiError) {
    const response = errorResponse(error.status, error.body);
    if (error.status === 401) response.headers["WWW-Authenticate"] = 'Bearer realm="Stripe"';
    return response;
  }
  if (error instanceof BodyTooLarge) {
    // the rest of the body is not read, so the connection cannot be reused
    return {
      ...errorResponse(413, { type: "invalid_request_error", message: "Request too large." }),
      headers: { Connection: "close" },
    };
  }
  log({ msg: "sandbox failure", error: error instanceof Error ? error.stack : String(error) });
  return errorResponse(500, {
    type: "api_error",
    message: "The local Stripe failed; its log says how.",
  });
}
