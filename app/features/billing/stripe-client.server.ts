import Stripe from "stripe";
import { env, type StripeEnvironment } from "~/env.server";
import { isLiveKey } from "~/environment/stripe-key";
import { log } from "~/observability/log.server";
import { exposeGauge, stripeCalls } from "~/observability/metrics.server";
import { CallBudget, CallBudgetExhausted } from "./call-budget.server";
import { callPurpose } from "./call-purpose.server";
import { liveProblem } from "./stripe-site.server";

/** Thrown if payments are requested but Stripe is not configured. */
export class PaymentsNotConfigured extends Error {
  override name = "PaymentsNotConfigured";
  constructor() {
    super("Payments are not configured on this site yet.");
  }
}

/** stripe-node's default of 80 s × 3 attempts is too long for a visitor. */
const TIMEOUT_MS = 10_000;
const RETRIES = 1;

/** Maximum queueing time, in milliseconds. The caller has then timed out, except for the timer and the commands. */
const MAX_WAIT_MS = {
  webhook: TIMEOUT_MS,
  checkout: TIMEOUT_MS,
  membership: TIMEOUT_MS,
  background: 60_000,
};

let client: { key: string; stripe: Stripe; budget: CallBudget } | undefined;
exposeGauge(
  "stripe_call_queue_length",
  "Calls to Stripe waiting in the queue",
  () => client?.budget.waiting ?? 0,
);

/** Returns Stripe's settings. Throws PaymentsNotConfigured if there are none. */
export function requireStripe(): StripeEnvironment {
  const settings = env().STRIPE;
  if (!settings) throw new PaymentsNotConfigured();
  return settings;
}

/** Returns this process's shared Stripe client with its call budget. Throws PaymentsNotConfigured without a key. */
export function stripeClient(): Stripe {
  const api = env().STRIPE_API;
  if (!api) throw new PaymentsNotConfigured();
  const { secretKey, apiBase } = api;
  const limits = callLimits(secretKey);
  const key = `${secretKey} ${apiBase} ${limits.perSecond}`;
  if (client?.key !== key) {
    const budget = new CallBudget({ ...limits, maxWaitMs: MAX_WAIT_MS });
    client = {
      key,
      budget,
      stripe: new Stripe(secretKey, {
        httpClient: new BudgetedHttpClient(budget, isLiveKey(secretKey) ? liveProblem : undefined),
        timeout: TIMEOUT_MS,
        maxNetworkRetries: RETRIES,
        telemetry: false,
        appInfo: { name: "the-golden-path" },
        ...(apiBase ? hostOf(new URL(apiBase)) : {}),
      }),
    };
  }
  return client.stripe;
}

/** Returns whether Stripe rejected the request as invalid, so a retry is pointless. */
export function isInvalidRequest(error: unknown): error is Stripe.errors.StripeInvalidRequestError {
  return error instanceof Stripe.errors.StripeInvalidRequestError;
}

/** Returns whether Stripe refused a call until the author mends something: a setting, the key or its permissions. */
export function isRefusal(error: unknown): error is Stripe.errors.StripeError {
  const { StripeAuthenticationError, StripePermissionError } = Stripe.errors;
  return (
    isInvalidRequest(error) ||
    error instanceof StripeAuthenticationError ||
    error instanceof StripePermissionError
  );
}

/** Returns whether Stripe reported a missing object; with `param`, the one named by that parameter of the call. */
export function isMissingAtStripe(error: unknown, param?: string): boolean {
  return (
    isInvalidRequest(error) &&
    error.code === "resource_missing" &&
    (param === undefined || error.param === param)
  );
}

function hostOf(url: URL) {
  const protocol = url.protocol === "http:" ? ("http" as const) : ("https" as const);
  return { protocol, host: url.hostname, port: url.port || (protocol === "http" ? 80 : 443) };
}

/**
 * Calls per second. Stripe allows an account 100 in live mode, 25 in a sandbox, and 25 per endpoint
 * (https://docs.stripe.com/rate-limits, 2026). A fifth is left for the author's other programs and the commands.
 */
const CALLS_PER_SECOND = { live: 80, test: 20, endpoint: 20 };

/** Maximum calls in flight: allows the full rate at half a second each, without piling up when Stripe hangs. */
const CONCURRENT_CALLS = 50;

/** The local Stripe has no rate limits. These suit a small machine, per endpoint as well as in total. */
const SANDBOX = { perSecond: 400, concurrency: 200 };

/** Maximum calls per second, in total and per endpoint, and maximum calls in flight. */
type CallLimits = { perSecond: number; perEndpoint: number; concurrency: number };

/** Returns a secret key's limits; `STRIPE_CALLS_PER_SECOND` overrides them, such as when Stripe has raised them. */
export function callLimits(secretKey: string): CallLimits {
  const { SANDBOX: isSandbox, STRIPE_CALLS_PER_SECOND: own } = env();
  if (isSandbox) {
    const perSecond = own ?? SANDBOX.perSecond;
    return { perSecond, perEndpoint: perSecond, concurrency: SANDBOX.concurrency };
  }
  const { live, test, endpoint } = CALLS_PER_SECOND;
  const perSecond = own ?? (isLiveKey(secretKey) ? live : test);
  const perEndpoint = Math.min(perSecond, Math.max(endpoint, Math.floor(perSecond / 4)));
  return { perSecond, perEndpoint, concurrency: CONCURRENT_CALLS };
}

/** Backoff after a 429 without Retry-After, and the maximum Retry-After that is honored, in milliseconds. */
const BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 10_000;

/** Path segments under which Stripe's API groups several object types: `/v1/checkout/sessions`. */
const NAMESPACES = new Set(["billing_portal", "checkout"]);

/**
 * stripe-node's HTTP client, which counts every request and retry against a budget. Changes are not sent while
 * `problem` returns a reason; the call then fails with a StripePermissionError of that message.
 */
export class BudgetedHttpClient extends Stripe.HttpClient {
  readonly #http = Stripe.createNodeHttpClient();

  constructor(
    private readonly budget: CallBudget,
    private readonly problem: () => Promise<string | null> = async () => null,
  ) {
    super();
  }

  override getClientName(): string {
    return this.#http.getClientName();
  }

  override async makeRequest(
    ...request: Parameters<Stripe.HttpClient["makeRequest"]>
  ): Promise<Stripe.HttpClientResponse> {
    const [, , path, method] = request;
    const purpose = callPurpose();
    const problem = method === "GET" ? null : await this.problem();
    if (problem) return new UnsentResponse(403, problem);
    try {
      const response = await this.budget.run({ purpose, endpoint: endpointOf(method, path) }, () =>
        this.#http.makeRequest(...request),
      );
      const status = response.getStatusCode();
      if (status === 429) this.#backOff(response);
      const outcome = status === 429 ? "limited" : status >= 500 ? "failed" : "answered";
      stripeCalls.inc({ purpose, outcome });
      return response;
    } catch (error) {
      const isRejected = error instanceof CallBudgetExhausted;
      stripeCalls.inc({ purpose, outcome: isRejected ? "refused" : "failed" });
      if (isRejected)
        return new UnsentResponse(429, "too many calls to Stripe are already queued.");
      throw error;
    }
  }

  /**
   * Handles a 429, which is possible within our limits because other programs use the account too. Pauses all calls
   * and makes stripe-node retry this one, which it does not by default.
   */
  #backOff(response: Stripe.HttpClientResponse): void {
    const headers = response.getHeaders();
    const seconds = Number(headers["retry-after"]);
    const wait = seconds > 0 ? Math.min(seconds * 1_000, MAX_BACK_OFF_MS) : BACK_OFF_MS;
    const reason = headers["stripe-rate-limited-reason"];
    log().warn({ reason, ms: wait }, "Stripe's rate limit was reached; all calls are paused");
    this.budget.pause(wait);
    headers["stripe-should-retry"] ??= "true";
  }
}

/** The response to a call that was not sent, which stripe-node must not retry. */
class UnsentResponse extends Stripe.HttpClientResponse {
  constructor(
    status: number,
    private readonly reason: string,
  ) {
    super(status, { "stripe-should-retry": "false" });
  }

  override async toJSON() {
    return { error: { message: `Not sent: ${this.reason}` } };
  }
}

/** Returns a request's method and path without ids, which identify an endpoint for Stripe's rate limit. */
function endpointOf(method: string, path: string): string {
  const segments = path.split("?", 1)[0]?.split("/").filter(Boolean) ?? [];
  const at = NAMESPACES.has(segments[1] ?? "") ? 3 : 2;
  if (segments.length > at) segments[at] = ":id";
  return `${method} /${segments.join("/")}`;
}
