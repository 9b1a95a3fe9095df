import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setEnvironment } from "~/env.server";

/** The body is `error`, or an object with `fields`; `isLost` closes the connection instead. */
type Answer = {
  status: number;
  headers?: Record<string, string>;
  error?: Record<string, string>;
  fields?: Record<string, unknown>;
  isLost?: boolean;
};

export type RecordingStripe = {
  /** The calls since the last `reset`, as `POST /v1/invoices/in_1 auto_advance=false`. */
  calls: string[];
  /** The idempotency keys of these calls, where they have one. */
  idempotencyKeys: string[];
  /**
   * Responses to calls by the end of method and path, with or without the query. The last of several repeats; any other
   * call succeeds.
   */
  answers: Record<string, Answer | Answer[]>;
  reset(): void;
  close(): void;
};

/**
 * Configures the site, with more variables, to call a server that records its calls to Stripe, for rules about which
 * calls it makes.
 */
export async function startRecordingStripe(
  variables: Record<string, string> = {},
): Promise<RecordingStripe> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = decodeURIComponent(Buffer.concat(chunks).toString());
    const call = `${request.method} ${request.url}`;
    stripe.calls.push(`${call} ${body}`.trim());
    stripe.idempotencyKeys.push(...(request.headersDistinct["idempotency-key"] ?? []));
    const [path = ""] = call.split("?");
    const [, found = { status: 200 }] =
      Object.entries(stripe.answers).find(([end]) => call.endsWith(end) || path.endsWith(end)) ??
      [];
    const next = Array.isArray(found) ? (found.length > 1 ? found.shift() : found[0]) : found;
    const { status, headers, error, fields, isLost = false } = next ?? { status: 200 };
    if (isLost) return request.socket.destroy();
    response.writeHead(status, {
      "Content-Type": "application/json",
      "stripe-should-retry": "false",
      ...headers,
    });
    response.end(JSON.stringify(error ? { error } : { id: "x", ...fields }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  setEnvironment(
    {
      STRIPE_SECRET_KEY: "sk_test_recorded",
      STRIPE_API_BASE: `http://127.0.0.1:${port}`,
      LOG_LEVEL: "silent",
      ...variables,
    },
    { partialStripe: true },
  );
  const stripe: RecordingStripe = {
    calls: [],
    idempotencyKeys: [],
    answers: {},
    reset() {
      stripe.calls = [];
      stripe.idempotencyKeys = [];
      stripe.answers = {};
    },
    close() {
      server.closeAllConnections();
      server.close();
      setEnvironment({});
    },
  };
  return stripe;
}
