import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { accountEndpoints } from "./account-endpoints";
import { ApiError, type ApiErrorBody, invalidParameter, unrecognizedUrl } from "./api-errors";
import { checkoutSessionEndpoints } from "./checkout-session-endpoints";
import { customerEndpoints } from "./customer-endpoints";
import { disputeEndpoints } from "./disputes";
import { type Endpoint, matchPath } from "./endpoint";
import { eventEndpoints } from "./event-endpoints";
import { expanded } from "./expansion";
import type { Fault, Faults } from "./faults";
import { decodeForm, type Form } from "./form";
import { addressOf, BodyTooLarge, mediaType, readBody, sendJson } from "./http-exchange";
import { earlierAnswer, type KeyedRequest, keepAnswer } from "./idempotency";
import { newId } from "./ids";
import { invoiceEndpoints } from "./invoice-endpoints";
import type { Log } from "./log";
import { expand } from "./parameters";
import { paymentEndpoints } from "./payment-endpoints";
import { paymentMethodEndpoints } from "./payment-methods";
import { portalConfigurationEndpoints } from "./portal-configurations";
import { portalSessionEndpoints } from "./portal-sessions";
import { priceEndpoints } from "./prices";
import { productEndpoints } from "./products";
import { refundEndpoints } from "./refunds";
import type { RequestLog } from "./request-log";
import { API_VERSION, causedBy, type Sandbox } from "./sandbox";
import { subscriptionEndpoints } from "./subscription-endpoints";
import { webhookEndpointEndpoints } from "./webhook-endpoints";

const BODY_LIMIT = 1_000_000;

const ENDPOINTS: Endpoint[] = [
  ...accountEndpoints,
  ...checkoutSessionEndpoints,
  ...customerEndpoints,
  ...disputeEndpoints,
  ...eventEndpoints,
  ...invoiceEndpoints,
  ...paymentEndpoints,
  ...paymentMethodEndpoints,
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
  requests: RequestLog;
  log: Log;
  /** Resolves when all that has changed is safely kept. */
  saved(): Promise<void>;
};

type Answer = { status: number; body: string; headers: Record<string, string> };

/** Answers one request under `/v1` as Stripe's API would, or as a fault wants it. */
export async function answerApi(
  context: ApiContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { path, query } = addressOf(request);
  const method = request.method ?? "GET";
  const requestId = newId("req", 14);
  const { delayMs, failure } = context.faults.take(`${method} ${path}`);
  if (delayMs > 0) await sleep(delayMs, undefined, { ref: false });
  let answer: Answer;
  if (failure?.when === "before" && failure.kind !== "truncate") {
    answer = faultyAnswer(failure);
  } else {
    answer = await soundAnswer(context, request, { method, path, query, requestId });
    if (failure && failure.kind !== "truncate") answer = faultyAnswer(failure);
  }
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

type Address = { method: string; path: string; query: string; requestId: string };

async function soundAnswer(
  context: ApiContext,
  request: IncomingMessage,
  address: Address,
): Promise<Answer> {
  const common = { "Stripe-Version": String(request.headers["stripe-version"] ?? API_VERSION) };
  let answer: Answer;
  try {
    authenticate(context.secretKey, request.headers.authorization);
    if (!/^\d{4}-\d{2}-\d{2}(\.[a-z]+)?$/.test(common["Stripe-Version"])) {
      common["Stripe-Version"] = API_VERSION;
      throw invalidParameter("Stripe-Version", "Invalid Stripe API version");
    }
    const form = await readForm(request, address);
    answer = answerOnce(context, request, address, form);
  } catch (error) {
    answer = answerTo(error, context.log);
  }
  try {
    await context.saved();
  } catch (error) {
    context.log({ msg: "sandbox state not saved", error: String(error) });
    answer = errorAnswer(500, { type: "api_error", message: "The sandbox could not save." });
  }
  return { ...answer, headers: { ...common, ...answer.headers } };
}

function answerOnce(
  context: ApiContext,
  request: IncomingMessage,
  address: Address,
  form: Form,
): Answer {
  const { sandbox } = context;
  const { method, path, requestId } = address;
  const key = method === "POST" ? idempotencyKey(request) : null;
  const keyed: KeyedRequest | null = key === null ? null : { key, method, path, form };
  const keyHeader: Record<string, string> = key === null ? {} : { "Idempotency-Key": key };
  const earlier = keyed && earlierAnswer(sandbox, keyed);
  if (earlier) {
    return {
      status: earlier.status,
      body: earlier.body,
      headers: {
        ...keyHeader,
        "Idempotent-Replayed": "true",
        "Original-Request": earlier.requestId,
      },
    };
  }
  const answer = causedBy(sandbox, { requestId, idempotencyKey: key }, () => {
    try {
      return okAnswer(perform(sandbox, address, form));
    } catch (error) {
      return answerTo(error, context.log);
    }
  });
  if (keyed) keepAnswer(sandbox, keyed, { ...answer, requestId });
  return { ...answer, headers: { ...answer.headers, ...keyHeader } };
}

function perform(sandbox: Sandbox, { method, path }: Address, form: Form): object {
  for (const endpoint of ENDPOINTS) {
    if (endpoint.method !== method) continue;
    const id = matchPath(endpoint.pattern, path);
    if (id === null) continue;
    const paths = form.expand === undefined ? [] : expand.read(form.expand, "expand");
    return expanded(sandbox, endpoint.answer(sandbox, path, id, form), paths);
  }
  throw unrecognizedUrl(method, path);
}

function authenticate(secretKey: string, header: string | undefined): void {
  const [scheme = "", credentials = ""] = (header ?? "").split(" ");
  const key = /^basic$/i.test(scheme)
    ? (Buffer.from(credentials, "base64").toString("utf8").split(":")[0] ?? "")
    : /^bearer$/i.test(scheme)
      ? credentials
      : "";
  if (key === secretKey) return;
  throw new ApiError(401, {
    type: "invalid_request_error",
    message:
      key === ""
        ? "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY')."
        : `Invalid API Key provided: ${key.slice(0, 8)}****`,
  });
}

async function readForm(request: IncomingMessage, { query }: Address): Promise<Form> {
  const body = await readBody(request, BODY_LIMIT);
  if (body !== "" && mediaType(request) !== "application/x-www-form-urlencoded") {
    throw new ApiError(400, {
      type: "invalid_request_error",
      message:
        "Invalid request (check that your POST content type is application/x-www-form-urlencoded).",
    });
  }
  return decodeForm([query, body].filter((part) => part !== "").join("&"));
}

function idempotencyKey(request: IncomingMessage): string | null {
  const header = request.headers["idempotency-key"];
  return typeof header === "string" && header !== "" ? header : null;
}

function okAnswer(object: object): Answer {
  return { status: 200, body: JSON.stringify(object), headers: {} };
}

function errorAnswer(status: number, error: ApiErrorBody): Answer {
  return { status, body: JSON.stringify({ error }), headers: {} };
}

function answerTo(error: unknown, log: Log): Answer {
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
