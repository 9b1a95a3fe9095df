import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/**
 * A proxy of the Stripe at `origin` that lasts until the end of the test. `alter` may change the JSON of the response
 * to a call, such as `GET /v1/charges?limit=100`, and is awaited. Resolves to the proxy's origin, for STRIPE_API_BASE.
 */
export async function openAlteredStripe(
  origin: string,
  alter: (answer: Record<string, unknown>, call: string) => unknown,
): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const headers = new Headers();
    for (const name of ["authorization", "content-type", "idempotency-key", "stripe-version"]) {
      const value = incoming.headers[name];
      if (value !== undefined) headers.set(name, String(value));
    }
    const { method } = incoming;
    const response = await fetch(origin + incoming.url, {
      method,
      headers,
      ...(method === "POST" ? { body: Buffer.concat(chunks) } : {}),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    await alter(answer, `${method} ${incoming.url}`);
    const replayed = response.headers.get("idempotent-replayed");
    outgoing.writeHead(response.status, {
      "Content-Type": "application/json",
      ...(replayed ? { "Idempotent-Replayed": replayed } : {}),
    });
    outgoing.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
