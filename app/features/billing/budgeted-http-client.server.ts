import Stripe from "stripe";
import { log } from "~/observability/log.server";
import { countStripeCall } from "~/observability/metrics.server";
import { type CallBudget, CallBudgetExhausted } from "./call-budget.server";
import { callPurpose } from "./call-purpose.server";

/** How long no call is made after a 429 that names no time, and longest wait that one may name. */
const BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 10_000;

/** Parts of Stripe's API that hold several kinds of object: `/v1/checkout/sessions`. */
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
      countStripeCall(purpose, status === 429 ? "limited" : status >= 500 ? "failed" : "answered");
      return response;
    } catch (error) {
      const refused = error instanceof CallBudgetExhausted;
      countStripeCall(purpose, refused ? "refused" : "failed");
      if (refused) return new RefusedHere();
      throw error;
    }
  }

  /**
   * Stripe takes fewer calls than we make: other programs use the account too. A pause for all of them, and
   * the call once more after it, which stripe-node leaves out for a 429 unless it is told to.
   */
  #backOff(response: Stripe.HttpClientResponse): void {
    const headers = response.getHeaders();
    const seconds = Number(headers["retry-after"]);
    const wait = seconds > 0 ? Math.min(seconds * 1_000, MAX_BACK_OFF_MS) : BACK_OFF_MS;
    const reason = headers["stripe-rate-limited-reason"];
    log().warn({ reason, ms: wait }, "Stripe takes no more calls for now; all of them wait");
    this.budget.pause(wait);
    headers["stripe-should-retry"] ??= "true";
  }
}

/** In the place of Stripe's answer to a call that was not made: its own 429, which must not be retried. */
class RefusedHere extends Stripe.HttpClientResponse {
  constructor() {
    super(429, { "stripe-should-retry": "false" });
  }

  override async toJSON() {
    return { error: { message: "Not sent: too many calls to Stripe are waiting already." } };
  }
}

/** A request's method and path without ids: what Stripe calls an endpoint and limits by itself. */
function endpointOf(method: string, path: string): string {
  const segments = path.split("?", 1)[0]?.split("/").filter(Boolean) ?? [];
  const at = NAMESPACES.has(segments[1] ?? "") ? 3 : 2;
  if (segments.length > at) segments[at] = ":id";
  return `${method} /${segments.join("/")}`;
}
