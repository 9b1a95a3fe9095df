/** The body of Stripe's error answers, under `error`. */
export type ApiErrorBody = {
  type: "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
};

/** A failure that the API answers with Stripe's error JSON and this HTTP status. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ApiErrorBody,
  ) {
    super(body.message);
  }
}

/** 400: a value that Stripe refuses. */
export function invalidParameter(param: string, message: string, code?: string): ApiError {
  return new ApiError(400, { type: "invalid_request_error", message, param, code });
}

/** An id that names nothing: 404 when the URL names it, 400 when a parameter does. */
export function noSuch(kind: string, id: string, param = "id"): ApiError {
  return new ApiError(param === "id" ? 404 : 400, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${kind}: '${id}'`,
    param,
  });
}

/** 400: the state of an object does not allow the request. */
export function notAllowed(message: string, code?: string): ApiError {
  return new ApiError(400, { type: "invalid_request_error", message, code });
}
