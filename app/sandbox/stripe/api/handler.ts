import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { invalidParameter } from "../engine/api-error";
import type { Fault, Faults } from "../engine/faults";
import { newId } from "../engine/ids";
import type { Latency } from "../engine/latency";
import type { Log } from "../engine/log";
import type { RequestLog } from "../engine/request-log";
import { API_VERSION, causedBy, type Sandbox } from "../engine/sandbox";
import { addressOf, sendJson } from "../http/exchange";
import type { Form } from "../http/form";
import { matchPath } from "../http/path-pattern";
import { type Answer, answerTo, errorAnswer, okAnswer } from "./answer";
import type { Endpoint } from "./endpoint";
import { chargeEndpoints } from "./endpoints/charges";
import { checkoutSessionEndpoints } from "./endpoints/checkout-sessions";
import { customerEndpoints } from "./endpoints/customers";
import { disputeEndpoints } from "./endpoints/disputes";
import { eventEndpoints } from "./endpoints/events";
import { invoiceEndpoints } from "./endpoints/invoices";
import { portalConfigurationEndpoints } from "./endpoints/portal-configurations";
import { portalSessionEndpoints } from "./endpoints/portal-sessions";
import { priceEndpoints } from "./endpoints/prices";
import { productEndpoints } from "./endpoints/products";
import { refundEndpoints } from "./endpoints/refunds";
import { subscriptionEndpoints } from "./endpoints/subscriptions";
import { webhookEndpointEndpoints } from "./endpoints/webhook-endpoints";
import { unrecognizedUrl } from "./errors";
import { expanded } from "./expansion";
import {
  earlierAnswer,
  type KeyedRequest,
  type KeysInUse,
  keepAnswer,
  keyInUse,
} from "./idempotency";
import { expand } from "./parameters";
import { authenticate, idempotencyKey, readForm } from "./request";

const ENDPOINTS: Endpoint[] = [
  ...checkoutSessionEndpoints,
  ...customerEndpoints,
  ...disputeEndpoints,
  ...eventEndpoints,
  ...invoiceEndpoints,
  ...chargeEndpoints,
  ...portalConfigurationEndpoints,
  ...portalSessionEndpoints,
  ...priceEndpoints,
  ...productEndpoints,
  ...refundEndpoints,
  ...subscriptionEndpoints,
  ...webhookEndpointEndpoints,
];

/** What the API needs beside the sandbox itself. */
export type ApiContext = {
  sandbox: Sandbox;
  secretKey: string;
  faults: Faults;
  latency: Latency;
  keysInUse: KeysInUse;
  requests: RequestLog;
  log: Log;
  /** Resolves when all that has changed is safely kept. */
  saved(): Promise<void>;
};

/** Answers one request under `/v1` as Stripe's API would, or as a fault wants it. */
export async function answerApi(
  context: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path, query } = addressOf(request);
  const method = request.method ?? "GET";
  const call: ApiCall = { method, path, query, requestId: newId("req", 14), failure: null };
  const answer = await answerCall(context, request, call);
  const { requestId, failure } = call;
  const endpoint = ENDPOINTS.find(({ pattern }) => matchPath(pattern, path) !== null);
  const logged = {
    requestId,
    at: Date.now(),
    endpoint: `${method} ${endpoint?.pattern ?? path}`,
    path,
    status: failure?.kind === "destroy" ? 0 : answer.status,
    idempotencyKey: idempotencyKey(request),
    replayed: "Idempotent-Replayed" in answer.headers,
  };
  context.requests.add(logged);
  context.log({ msg: "sandbox api", ...logged, fault: failure?.kind });
  const headers = { ...answer.headers, "Request-Id": requestId };
  if (failure?.kind === "destroy") request.socket.destroy();
  else if (failure?.kind === "truncate") sendHalf(request, response, answer, headers);
  else sendJson(response, answer.status, answer.body, headers);
}

function pause(ms: number): Promise<void> | undefined {
  return ms > 0 ? sleep(ms, undefined, { ref: false }) : undefined;
}

function faultyAnswer(fault: Fault): Answer {
  return errorAnswer(fault.status, {
    type: "api_error",
    message: "Sorry! There was an error while talking to one of our backends. (A fault was set.)",
  });
}

function sendHalf(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  headers: Record<string, string>,
): void {
  const bytes = Buffer.from(answer.body);
  response.writeHead(answer.status, {
    ...headers,
    "Content-Type": "application/json",
    "Content-Length": bytes.length,
  });
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => request.socket.destroy());
}

/** One request; `failure` is the fault that it met, if any. */
type ApiCall = {
  method: string;
  path: string;
  query: string;
  requestId: string;
  failure: Fault | null;
};

async function answerCall(
  context: ApiContext,
  request: IncomingMessage,
  call: ApiCall,
): Promise<Answer> {
  const common = { "Stripe-Version": String(request.headers["stripe-version"] ?? API_VERSION) };
  const release: (() => void)[] = [];
  let answer: Answer;
  try {
    authenticate(context.secretKey, request.headers.authorization);
    if (!/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(common["Stripe-Version"])) {
      common["Stripe-Version"] = API_VERSION;
      throw invalidParameter("Stripe-Version", "Invalid Stripe API version");
    }
    const form = await readForm(request, call.query);
    const key = call.method === "POST" ? idempotencyKey(request) : null;
    const isFree = key === null || context.keysInUse.take(key);
    if (key !== null && isFree) release.push(() => context.keysInUse.release(key));
    // what a call does, it does half way through
    const delay = context.faults.takeDelay(`${call.method} ${call.path}`);
    await pause(delay + context.latency.ms / 2);
    if (key !== null && !isFree) throw keyInUse(key);
    answer = answerOnce(context, call, key, form);
  } catch (error) {
    answer = answerTo(error, context.log);
    if (answer.status === 409) answer.headers["Stripe-Should-Retry"] = "true";
  }
  try {
    await context.saved();
  } catch (error) {
    context.log({ msg: "sandbox state not saved", error: String(error) });
    answer = errorAnswer(500, { type: "api_error", message: "The sandbox could not save." });
  }
  await pause(context.latency.ms / 2);
  for (const give of release) give();
  return { ...answer, headers: { ...common, ...answer.headers } };
}

function answerOnce(context: ApiContext, call: ApiCall, key: string | null, form: Form): Answer {
  const { sandbox, faults } = context;
  const { method, path, requestId } = call;
  const keyed: KeyedRequest | null = key === null ? null : { key, method, path, form };
  const keyHeader: Record<string, string> = key === null ? {} : { "Idempotency-Key": key };
  const earlier = keyed && earlierAnswer(sandbox, keyed);
  call.failure = faults.takeFailure(`${method} ${path}`, earlier !== null);
  if (earlier) {
    return {
      status: earlier.status,
      body: earlier.body,
      headers: {
        ...keyHeader,
        ...retryAdvice(earlier.status),
        "Idempotent-Replayed": "true",
        "Original-Request": earlier.requestId,
      },
    };
  }
  const { failure } = call;
  const isUndone = failure?.when === "before" && failure.kind !== "truncate";
  let answer: Answer | null = null;
  if (!isUndone) {
    answer = causedBy(sandbox, { requestId, idempotencyKey: key }, () => {
      try {
        return okAnswer(perform(sandbox, call, form));
      } catch (error) {
        return answerTo(error, context.log);
      }
    });
  }
  if (failure?.kind === "error") answer = faultyAnswer(failure);
  // cut off before anything was done: nothing is kept either
  if (answer === null) return okAnswer({});
  if (keyed === null || !keepAnswer(sandbox, keyed, { ...answer, requestId })) return answer;
  return {
    ...answer,
    headers: { ...answer.headers, ...retryAdvice(answer.status), ...keyHeader },
  };
}

/** A stored failure would only be replayed, so that Stripe advises against trying again. */
function retryAdvice(status: number): Record<string, string> {
  return status >= 500 ? { "Stripe-Should-Retry": "false" } : {};
}

function perform(sandbox: Sandbox, { method, path }: ApiCall, form: Form): object {
  for (const endpoint of ENDPOINTS) {
    if (endpoint.method !== method) continue;
    const id = matchPath(endpoint.pattern, path);
    if (id === null) continue;
    const paths = form.expand === undefined ? [] : expand.read(form.expand, "expand");
    return expanded(sandbox, endpoint.answer(sandbox, path, id, form), paths);
  }
  throw unrecognizedUrl(method, path);
}
