import { ApiError, invalidParameter } from "../engine/api-error";
import type { Sandbox } from "../engine/sandbox";
import type { StoredResponse } from "../engine/state";
import type { Form, FormValue } from "../http/form";

const MAX_KEY_LENGTH = 255;

export type KeyedRequest = { key: string; method: string; path: string; form: Form };

/**
 * Returns the response stored under a key, or null for a new key. Throws Stripe's idempotency_error if the key was
 * used for another path or with other parameters.
 */
export function findStoredResponse(sandbox: Sandbox, request: KeyedRequest): StoredResponse | null {
  const { key } = request;
  if (key.length > MAX_KEY_LENGTH) {
    throw invalidParameter(
      "idempotency_key",
      `Idempotency keys are at most ${MAX_KEY_LENGTH} characters long.`,
    );
  }
  const earlier = sandbox.state.idempotentResponses.get(key);
  if (!earlier) return null;
  if (earlier.path !== request.path || earlier.method !== request.method) {
    throw new ApiError(400, {
      type: "idempotency_error",
      message: `Keys for idempotent requests can only be used for the same endpoint they were first used for ('${request.path}' vs '${earlier.path}'). Try using a key other than '${key}' if you meant to execute a different request.`,
    });
  }
  if (earlier.parameters !== canonical(request.form)) {
    throw new ApiError(400, {
      type: "idempotency_error",
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    });
  }
  return earlier;
}

/**
 * Stores the response to a request whose work has begun under its key, including a 400 and a 500
 * (docs.stripe.com/api/idempotent_requests). A rejection before that is not stored, such as of an unknown parameter.
 */
export function storeResponse(
  sandbox: Sandbox,
  request: KeyedRequest,
  answer: { status: number; body: string; requestId: string },
): void {
  const { status, body, requestId } = answer;
  sandbox.state.idempotentResponses.set(request.key, {
    status,
    body,
    requestId,
    method: request.method,
    path: request.path,
    parameters: canonical(request.form),
    createdAt: sandbox.now(),
  });
  sandbox.changed();
}

/**
 * The keys of requests in progress. A second request with the same key gets a 409 (docs.stripe.com/error-codes,
 * `idempotency_key_in_use`), which stripe-node retries.
 */
export class KeysInUse {
  private readonly keys = new Set<string>();

  /** Claims a key. Returns whether it was free. */
  take(key: string): boolean {
    if (this.keys.has(key)) return false;
    this.keys.add(key);
    return true;
  }

  release(key: string): void {
    this.keys.delete(key);
  }
}

/** Creates the 409 for a key whose first request is still in progress. */
export function keyInUse(key: string): ApiError {
  return new ApiError(409, {
    type: "idempotency_error",
    code: "idempotency_key_in_use",
    message: `There is currently another in-progress request using this Idempotent Key (that probably means you submitted twice, and the other request is still going through): ${key}. Please try again later.`,
  });
}

function canonical(value: FormValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? "")}`);
  return `{${entries.join(",")}}`;
}
