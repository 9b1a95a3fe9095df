import { ApiError, invalidParameter } from "./api-errors";
import type { Form, FormValue } from "./form";
import type { Sandbox } from "./sandbox";
import type { IdempotentAnswer } from "./state";

const LONGEST_KEY = 255;

export type KeyedRequest = { key: string; method: string; path: string; form: Form };

/**
 * The answer that a key was first given, or null for a new key. Throws Stripe's idempotency_error
 * when the key was used for another path or with other parameters.
 */
export function earlierAnswer(sandbox: Sandbox, request: KeyedRequest): IdempotentAnswer | null {
  const { key } = request;
  if (key.length > LONGEST_KEY) {
    throw invalidParameter(
      "idempotency_key",
      `Idempotency keys are at most ${LONGEST_KEY} characters long.`,
    );
  }
  const earlier = sandbox.state.idempotentAnswers.get(key);
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
 * Keeps the answer to a request for its key. As at Stripe, an answer that refuses the request
 * before anything was done is not kept, so that the key can be used once the request is right.
 */
export function keepAnswer(
  sandbox: Sandbox,
  request: KeyedRequest,
  answer: { status: number; body: string; requestId: string },
): void {
  if (answer.status !== 402 && answer.status >= 400) return;
  sandbox.state.idempotentAnswers.set(request.key, {
    ...answer,
    method: request.method,
    path: request.path,
    parameters: canonical(request.form),
    createdAt: sandbox.now(),
  });
  sandbox.changed();
}

function canonical(value: FormValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? "")}`);
  return `{${entries.join(",")}}`;
}
