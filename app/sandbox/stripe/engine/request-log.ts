/** An API request, recorded for tests. */
type LoggedRequest = {
  requestId: string;
  /** Real milliseconds. */
  at: number;
  /** `POST /v1/customers/:id`, or the path itself if no endpoint matches. */
  endpoint: string;
  path: string;
  /** The `expand` paths of the request. */
  expand: string[];
  /** The permissions a restricted key needs for it, such as `customer_write`. */
  permissions: string[];
  status: number;
  idempotencyKey: string | null;
  replayed: boolean;
};

const MAX_REQUESTS = 2_000;

/** The latest API requests, and the number per endpoint since the start. */
export class RequestLog {
  private requests: LoggedRequest[] = [];
  private counts = new Map<string, number>();

  add(request: LoggedRequest): void {
    this.counts.set(request.endpoint, (this.counts.get(request.endpoint) ?? 0) + 1);
    this.requests.push(request);
    if (this.requests.length > MAX_REQUESTS * 2) this.requests = this.requests.slice(-MAX_REQUESTS);
  }

  clear(): void {
    this.requests = [];
    this.counts.clear();
  }

  toJSON(): { counts: Record<string, number>; requests: LoggedRequest[] } {
    return {
      counts: Object.fromEntries(this.counts),
      requests: this.requests.slice(-MAX_REQUESTS),
    };
  }
}
