import { ApiError, invalidParameter } from "../engine/api-error";

/** 400: parameters that the endpoint does not have. */
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
    message: `Unrecognized request URL (${method}: ${path}). The local Stripe sandbox implements a part of Stripe's API only.`,
  });
}
