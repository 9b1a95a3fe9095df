/** The `error` object of Stripe's error responses. */
export type ApiErrorBody = {
  type: "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";
  message: string;
  code?: string;
  param?: string;
  decline_code?: string;
};

/** A failure reported with Stripe's error JSON and this HTTP status. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: ApiErrorBody,
  ) {
    super(body.message);
  }
}

/** 400: a value that Stripe rejects. */
export function invalidParameter(param: string, message: string, code?: string): ApiError {
  return new ApiError(400, { type: "invalid_request_error", message, param, code });
}

/** No object has this id: 404 if it is in the URL, 400 if it is a parameter. */
export function resourceMissing(kind: string, id: string, param = "id"): ApiError {
  return new ApiError(param === "id" ? 404 : 400, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${kind}: '${id}'`,
    param,
  });
}

/** 400: the state of an object does not allow the request. */
export function invalidRequest(message: string, code?: string): ApiError {
  return new ApiError(400, { type: "invalid_request_error", message, code });
}

/** 400: parameters unknown to the endpoint. */
export function unknownParameters(names: [string, ...string[]]): ApiError {
  const [first] = names;
  return invalidParameter(
    first,
    `Received unknown parameter${names.length > 1 ? "s" : ""}: ${names.join(", ")}`,
    "parameter_unknown",
  );
}

/** 400: a required parameter is missing. */
export function missingParameter(name: string): ApiError {
  return invalidParameter(name, `Missing required param: ${name}.`, "parameter_missing");
}

/** 404: no endpoint has this method and path. */
export function unrecognizedUrl(method: string, path: string): ApiError {
  return new ApiError(404, {
    type: "invalid_request_error",
    message: `Unrecognized request URL (${method}: ${path}). The local Stripe implements a part of Stripe's API only.`,
  });
}
