import Stripe from "stripe";
import { log } from "~/observability/log.server";
import { stripeCalls } from "~/observability/metrics.server";
import { type CallBudget, CallBudgetExhausted } from "./call-budget.server";
import { callPurpose } from "./call-purpose.server";

/** Back-off after a 429 without Retry-After, and the longest Retry-After that is honoured, in milliseconds. */
const BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 10_000;

/** First path segments under which Stripe's API groups several kinds of object: `/v1/checkout/sessions`. */
const NAMESPACES = new Set(["billing_portal", "checkout"]);

/** Stripe-node's HTTP client, with every request and every retry counted against a budget. */
export class BudgetedHttpClient extends Stripe.HttpClient {
  readonly #http = Stripe.createNodeHttpClient();

  constructor(private readonly budget: CallBudget) {
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
      if (isRejected) return new BudgetExhaustedResponse();
      throw error;
    }
  }

  /**
   * Handles a 429, which we can get within our own limits because other programs use the account too. Pauses
   * all calls and makes stripe-node retry this one, which by default it does not for a 429.
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

/** Stands in for Stripe's response to a call that was not sent: a 429 that stripe-node must not retry. */
class BudgetExhaustedResponse extends Stripe.HttpClientResponse {
  constructor() {
    super(429, { "stripe-should-retry": "false" });
  }

  override async toJSON() {
    return { error: { message: "Not sent: too many calls to Stripe are already queued." } };
  }
}

/** A request's method and path without ids: an endpoint in the sense of Stripe's per-endpoint rate limit. */
function endpointOf(method: string, path: string): string {
  const segments = path.split("?", 1)[0]?.split("/").filter(Boolean) ?? [];
  const at = NAMESPACES.has(segments[1] ?? "") ? 3 : 2;
  if (segments.length > at) segments[at] = ":id";
  return `${method} /${segments.join("/")}`;
}
