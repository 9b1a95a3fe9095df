import { describe, expect, test } from "vitest";
import { openConnection, type Sent, send } from "../../support/http-client";
import {
  openCheckout,
  openSandbox,
  SANDBOX_KEY,
  type TestSandbox,
} from "../../support/stripe-sandbox";

describe("the sandbox's clock", () => {
  /** Requests to advance the clock by a day; returns whether it has moved. */
  async function move(sandbox: TestSandbox, sent: Sent): Promise<{ status: number; days: number }> {
    const { status } = await send(`${sandbox.origin}/_control/clock`, { method: "POST", ...sent });
    const clock = await send(`${sandbox.origin}/_control/clock`);
    return { status, days: JSON.parse(clock.text).offset / 86_400 };
  }
  const form = { days: "1" };

  test.each<[string, Sent, number]>([
    ["a foreign host name, as in DNS rebinding", { form, headers: { Host: "evil.example" } }, 421],
    [
      "a foreign host name with its own origin",
      {
        form,
        headers: {
          Host: "evil.example",
          Origin: "http://evil.example",
          "Sec-Fetch-Site": "same-origin",
        },
      },
      421,
    ],
    [
      "a host name that starts like ours",
      { form, headers: { Host: "localhost.evil.example" } },
      421,
    ],
    [
      "an address that starts like ours",
      { form, headers: { Host: "127.0.0.1.evil.example:3001" } },
      421,
    ],
    ["no host name at all", { form, headers: { Host: ":3001" } }, 421],
    [
      "another site's form",
      { form, headers: { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" } },
      403,
    ],
    ["another port of this machine", { form, headers: { "Sec-Fetch-Site": "same-site" } }, 403],
    ["another port, in an old browser", { form, headers: { Origin: "http://127.0.0.1:9" } }, 403],
    ["a page without an origin", { form, headers: { Origin: "null" } }, 403],
    [
      "JSON declared as text",
      { body: '{"days":1}', headers: { "Content-Type": "text/plain" } },
      415,
    ],
    ["JSON without a content type", { body: '{"days":1}' }, 415],
  ])("is not moved from %s", async (_who, sent, status) => {
    expect(await move(await openSandbox(), sent)).toEqual({ status, days: 0 });
  });

  test.each<[string, Sent]>([
    ["a program", { json: { days: 1 } }],
    ["its own page", { form, headers: { "Sec-Fetch-Site": "same-origin" } }],
    ["a client at another port", { form, headers: { Host: "localhost:13001" } }],
    ["a client over IPv6", { form, headers: { Host: "[::1]:3001" } }],
    ["a client at its public name", { form, headers: { Host: "BOOK.example:3001" } }],
    ["the site, at its configured host", { form, headers: { Host: "10.1.2.3:3001" } }],
  ])("is moved by %s", async (_who, sent) => {
    const names = { publicOrigin: "http://book.example:3001", ownHost: "10.1.2.3" };
    const { days } = await move(await openSandbox(names), sent);
    expect(days).toBe(1);
  });
});

test("the sandbox rejects requests for another host name, and forms from another site", async () => {
  const sandbox = await openSandbox();
  const headers = { Host: "evil.example" };
  for (const path of ["/", "/control", "/c/pay/cs_1", "/v1/customers", "/_control/state"]) {
    expect((await send(sandbox.origin + path, { headers })).status).toBe(421);
  }
  const twice = await openConnection(sandbox.origin);
  twice.write("GET /control HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n");
  expect(await twice.until(/\r\n\r\n/)).toMatch(/^HTTP\/1\.1 421 /);
  twice.destroy();
  const session = await openCheckout(sandbox);
  const elsewhere = { "Sec-Fetch-Site": "cross-site", Origin: "https://evil.example" };
  const page = `${sandbox.origin}${new URL(session.url ?? "").pathname}`;
  // a link from another site is followed, but a form from there pays nothing
  expect((await send(page, { headers: elsewhere })).status).toBe(200);
  expect((await send(page, { form: {}, headers: elsewhere })).status).toBe(403);
  const api = { ...elsewhere, Authorization: `Bearer ${SANDBOX_KEY}` };
  expect((await send(`${sandbox.origin}/v1/customers`, { headers: api })).status).toBe(403);
});
