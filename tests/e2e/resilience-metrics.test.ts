import { afterAll, beforeAll, expect, it } from "vitest";
import { openConnection, send } from "../support/http-client";
import { METRICS_TOKEN, type ProgramSite, startProgramSite } from "../support/program-site";
import { expectSecurityHeaders } from "../support/security-headers";

let site: ProgramSite;

beforeAll(async () => {
  site = await startProgramSite({ PAYMENTS: "sandbox" });
});
afterAll(() => site?.close());

it("requires the token", async () => {
  const ask = (Authorization?: string) =>
    send(`${site.origin}/metrics`, Authorization ? { headers: { Authorization } } : {});
  for (const wrong of [undefined, "Bearer ", "Bearer wrong", `Basic ${METRICS_TOKEN}`]) {
    const answer = await ask(wrong);
    expect(answer.status).toBe(401);
    expect(answer.headers["www-authenticate"]).toBe("Bearer");
    expect(answer.text).not.toContain("http_request");
  }
  const figures = await ask(`Bearer ${METRICS_TOKEN}`);
  expect(figures.status).toBe(200);
  expect(figures.headers["content-type"]).toContain("text/plain");
  expect(figures.headers["cache-control"]).toBe("no-store");
  expectSecurityHeaders(figures);
});

it("counts requests by route, and unknown paths as one", async () => {
  for (let i = 0; i < 5; i++) await send(`${site.origin}/made-up-${i}`);
  await send(`${site.origin}/auth/forgot-password`);
  const count = (labels: Record<string, string>) =>
    site.metric("http_request_duration_seconds_count", labels);
  await expect.poll(() => count({ route: "other", status: "404" })).toBe(5);
  await expect.poll(() => count({ route: "/auth", status: "200" })).toBe(1);
  const { text } = await send(`${site.origin}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect(text).not.toContain("made-up");
});

it("counts aborted requests separately", async () => {
  const connection = await openConnection(site.origin);
  connection.write(
    "POST /newsletter HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{",
  );
  await expect.poll(() => site.metric("http_connections")).toBeGreaterThan(1);
  connection.destroy();
  await expect
    .poll(() =>
      site.metric("http_request_duration_seconds_count", { route: "/newsletter", status: "499" }),
    )
    .toBe(1);
});

it("counts queries, connections, webhooks, syncs and queued password hashes", async () => {
  const visitor = site.visitor();
  await visitor.signUp("figures@example.test");
  await send(`${site.origin}/webhooks/stripe`, { method: "POST", body: "{}" });
  await visitor.get("/checkout/success");
  expect(
    await site.metric("database_query_duration_seconds_count", { outcome: "done" }),
  ).toBeGreaterThan(3);
  expect(await site.metric("database_connections", { state: "open" })).toBeGreaterThan(0);
  expect(await site.metric("stripe_webhooks_total", { outcome: "refused" })).toBe(1);
  expect(await site.metric("password_hash_queue_length")).toBe(0);
  expect(await site.metric("process_resident_memory_bytes")).toBeGreaterThan(0);
  const { text } = await send(`${site.origin}/metrics`, {
    headers: { Authorization: `Bearer ${METRICS_TOKEN}` },
  });
  expect(await site.metric("stripe_call_queue_length")).toBe(0);
  for (const name of [
    "billing_syncs_total",
    "stripe_calls_total",
    "rate_limited_total",
    "page_cache_total",
  ]) {
    expect(text).toContain(`# TYPE ${name}`);
  }
});
