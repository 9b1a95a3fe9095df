import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { invalidParameter, unrecognizedUrl } from "../engine/api-error";
import type { Fault, Faults, Latency } from "../engine/faults";
import { type Permission, permissionFor, requirePermission } from "../engine/permissions";
import type { RequestLog } from "../engine/request-log";
import { API_VERSION, type Log, type Sandbox, withCause } from "../engine/sandbox";
import { newId } from "../engine/wire";
import { pathAndQuery, sendJson } from "../http/exchange";
import type { Form } from "../http/form";
import { matchPath } from "../http/path-pattern";
import { type Endpoint, expand } from "./endpoint";
import { catalogEndpoints } from "./endpoints/catalog";
import { checkoutSessionEndpoints } from "./endpoints/checkout-sessions";
import { customerEndpoints } from "./endpoints/customers";
import { paymentEndpoints } from "./endpoints/payments";
import { portalEndpoints } from "./endpoints/portal";
import { subscriptionEndpoints } from "./endpoints/subscriptions";
import { webhookEndpoints } from "./endpoints/webhooks";
import { expandReferences } from "./expansion";
import {
  findStoredResponse,
  type KeyedRequest,
  type KeysInUse,
  keyInUse,
  storeResponse,
} from "./idempotency";
import { authenticate, idempotencyKey, readForm } from "./request";
import { type ApiResponse, errorResponse, okResponse, toErrorResponse } from "./response";

const ENDPOINTS: Endpoint[] = [
  ...catalogEndpoints,
  ...checkoutSessionEndpoints,
  ...customerEndpoints,
  ...paymentEndpoints,
  ...portalEndpoints,
  ...subscriptionEndpoints,
  ...webhookEndpoints,
];

/** The dependencies of the API. */
export type ApiContext = {
  sandbox: Sandbox;
  secretKey: string;
  faults: Faults;
  latency: Latency;
  keysInUse: KeysInUse;
  requests: RequestLog;
  log: Log;
  /** Resolves when every change so far is on disk. */
  saved(): Promise<void>;
};

/** Responds to a request under `/v1` as Stripe's API would, or with a fault set by a tester. */
export async function handleApiRequest(
  context: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path, query } = pathAndQuery(request);
  const method = request.method ?? "GET";
  const call: ApiCall = {
    method,
    path,
    query,
    key: "",
    expand: [],
    permissions: new Set(),
    requestId: newId("req", 14),
    fault: null,
  };
  const result = await handleCall(context, request, call);
  const { requestId, expand, permissions, fault } = call;
  const endpoint = ENDPOINTS.find(({ pattern }) => matchPath(pattern, path) !== null);
  const logged = {
    requestId,
    at: Date.now(),
    endpoint: `${method} ${endpoint?.pattern ?? path}`,
    path,
    expand,
    permissions: [...permissions],
    status: fault?.kind === "destroy" ? 0 : result.status,
    idempotencyKey: idempotencyKey(request),
    replayed: "Idempotent-Replayed" in result.headers,
  };
  context.requests.add(logged);
  context.log({ msg: "sandbox api", ...logged, fault: fault?.kind });
  const headers = { ...result.headers, "Request-Id": requestId };
  if (fault?.kind === "destroy") request.socket.destroy();
  else if (fault?.kind === "truncate") sendTruncated(request, response, result, headers);
  else sendJson(response, result.status, result.body, headers);
}

function pause(ms: number): Promise<void> | undefined {
  return ms > 0 ? sleep(ms, undefined, { ref: false }) : undefined;
}

function faultResponse({ status, message }: Fault): ApiResponse {
  const type = status < 500 ? "invalid_request_error" : "api_error";
  return errorResponse(status, { type, message });
}

/** Statuses of requests that were rejected before their work began. */
const NOT_BEGUN = new Set([401, 403, 409, 429]);

function sendTruncated(
  request: IncomingMessage,
  response: ServerResponse,
  { status, body }: ApiResponse,
  headers: Record<string, string>,
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": bytes.length,
  });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => request.socket.destroy());
}

/**
 * A request. `key` and `expand` are set once parsed; `permissions` are those it needed so far; `fault` is the tester's
 * fault that was applied, if any.
 */
type ApiCall = {
  method: string;
  path: string;
  query: string;
  key: string;
  expand: string[];
  permissions: Set<Permission>;
  requestId: string;
  fault: Fault | null;
};

async function handleCall(
  context: ApiContext,
  request: IncomingMessage,
  call: ApiCall,
): Promise<ApiResponse> {
  const common = { "Stripe-Version": String(request.headers["stripe-version"] ?? API_VERSION) };
  let keyTaken: string | null = null;
  let response: ApiResponse;
  try {
    const { restrictedKeys } = context.sandbox.state;
    call.key = authenticate(
      (key) => key === context.secretKey || restrictedKeys.has(key),
      request.headers.authorization,
    );
    if (!/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(common["Stripe-Version"])) {
      common["Stripe-Version"] = API_VERSION;
      throw invalidParameter("Stripe-Version", "Invalid Stripe API version");
    }
    const form = await readForm(request, call.query);
    const key = call.method === "POST" ? idempotencyKey(request) : null;
    const isFree = key === null || context.keysInUse.take(key);
    if (isFree) keyTaken = key;
    // half of the latency passes before the work, half after it
    const delay = context.faults.takeDelay(`${call.method} ${call.path}`);
    await pause(delay + context.latency.ms / 2);
    if (key !== null && !isFree) throw keyInUse(key);
    response = respondIdempotently(context, call, key, form);
  } catch (error) {
    response = toErrorResponse(error, context.log);
    if (response.status === 409) response.headers["Stripe-Should-Retry"] = "true";
  }
  try {
    await context.saved();
  } catch (error) {
    context.log({ msg: "sandbox state not saved", error: String(error) });
    response = errorResponse(500, {
      type: "api_error",
      message: "The local Stripe could not save.",
    });
  }
  await pause(context.latency.ms / 2);
  if (keyTaken !== null) context.keysInUse.release(keyTaken);
  return { ...response, headers: { ...common, ...response.headers } };
}

function respondIdempotently(
  context: ApiContext,
  call: ApiCall,
  key: string | null,
  form: Form,
): ApiResponse {
  const { sandbox, faults } = context;
  const { method, path, requestId } = call;
  const keyed: KeyedRequest | null = key === null ? null : { key, method, path, form };
  const keyHeader: Record<string, string> = key === null ? {} : { "Idempotency-Key": key };
  const stored = keyed && findStoredResponse(sandbox, keyed);
  call.fault = faults.takeFailure(`${method} ${path}`, stored !== null);
  if (stored) {
    return {
      status: stored.status,
      body: stored.body,
      headers: {
        ...keyHeader,
        ...retryAdvice(stored.status),
        "Idempotent-Replayed": "true",
        "Original-Request": stored.requestId,
      },
    };
  }
  const { fault } = call;
  const isUndone = fault?.when === "before" && fault.kind !== "truncate";
  let response: ApiResponse | null = null;
  let hasBegun = false;
  if (!isUndone) {
    response = withCause(sandbox, { requestId, idempotencyKey: key }, () => {
      try {
        const work = prepare(sandbox, call, form);
        hasBegun = true;
        return okResponse(work());
      } catch (error) {
        return toErrorResponse(error, context.log);
      }
    });
  }
  if (fault?.kind === "error") {
    response = faultResponse(fault);
    hasBegun = !NOT_BEGUN.has(fault.status);
  }
  // the connection was cut before any work, so nothing is stored either
  if (response === null) return okResponse({});
  if (keyed === null || !hasBegun) return response;
  storeResponse(sandbox, keyed, { ...response, requestId });
  return {
    ...response,
    headers: { ...response.headers, ...retryAdvice(response.status), ...keyHeader },
  };
}

/** Adds Stripe's advice against retrying, because a stored failure would only be replayed. */
function retryAdvice(status: number): Record<string, string> {
  return status >= 500 ? { "Stripe-Should-Retry": "false" } : {};
}

/** Returns the work of a request. Throws Stripe's error if it is rejected before its work begins. */
function prepare(sandbox: Sandbox, call: ApiCall, form: Form): () => object {
  const { method, path, key } = call;
  const permissions = sandbox.state.restrictedKeys.get(key);
  const allow = (permission: Permission) => {
    call.permissions.add(permission);
    if (permissions) requirePermission(key, permissions, permission);
  };
  for (const endpoint of ENDPOINTS) {
    if (endpoint.method !== method) continue;
    const id = matchPath(endpoint.pattern, path);
    if (id === null) continue;
    allow(permissionFor(method, endpoint.pattern));
    if (form.expand !== undefined) call.expand = expand.read(form.expand, "expand");
    const work = endpoint.prepare(sandbox, path, id, form);
    return () => expandReferences(sandbox, work(), call.expand, allow);
  }
  throw unrecognizedUrl(method, path);
}
