import { Agent } from "node:http";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually";
import { openConnection, type RawConnection, send } from "../../support/http-client";
import { type ProgramSite, startProgramSite } from "../../support/program-site";
import { countRows } from "../../support/tables";

const collectGarbage = resolve(import.meta.dirname, "../../support/collect-garbage.mjs");

let site: ProgramSite;
const open: RawConnection[] = [];

beforeAll(async () => {
  site = await startProgramSite({
    PAYMENTS: "sandbox",
    LOG_LEVEL: "error",
    NODE_OPTIONS: `--import=${pathToFileURL(collectGarbage)}`,
  });
});
afterAll(() => site?.close());
afterEach(() => {
  for (const connection of open.splice(0)) connection.destroy();
});

async function connect(): Promise<RawConnection> {
  const connection = await openConnection(site.origin);
  open.push(connection);
  return connection;
}

/** The head of a request, up to its body. */
function head(request: string, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${request} HTTP/1.1\r\nHost: ${new URL(site.origin).host}\r\n${lines.join("")}\r\n`;
}

const FORM = "application/x-www-form-urlencoded";
const KB = 1024;

describe("a body that is too large", () => {
  const cases = [
    { path: "/newsletter", type: FORM, limit: 64 * KB },
    { path: "/newsletter", type: "application/json", limit: 64 * KB },
    { path: "/auth/login", type: FORM, limit: 64 * KB },
    { path: "/auth/forgot-password", type: FORM, limit: 64 * KB },
    { path: "/newsletter/unsubscribe", type: FORM, limit: 64 * KB },
    { path: "/auth/signup", type: "multipart/form-data; boundary=x", limit: 64 * KB },
    { path: "/webhooks/stripe", type: "application/json", limit: 1024 * KB },
    { path: "/webhooks/mail", type: "text/plain", limit: 512 * KB },
  ];

  it.each(cases)("is rejected before it is sent: $path as $type", async ({ path, type, limit }) => {
    const connection = await connect();
    connection.write(head(`POST ${path}`, { "Content-Type": type, "Content-Length": limit + 1 }));
    expect(await connection.until(/KB\./)).toMatch(/^HTTP\/1.1 413 /);
  });

  it.each(cases)(
    "is rejected as soon as the limit is exceeded: $path as $type",
    async ({ path, type, limit }) => {
      const connection = await connect();
      connection.write(
        head(`POST ${path}`, { "Content-Type": type, "Transfer-Encoding": "chunked" }),
      );
      const chunk = `4000\r\n${"x".repeat(16 * KB)}\r\n`;
      for (let sent = 0; sent <= limit; sent += 16 * KB) connection.write(chunk);
      // the body never ends
      expect(await connection.until(/KB\./)).toMatch(/^HTTP\/1.1 413 /);
    },
  );

  it("is accepted at the limit", async () => {
    const fill = (size: number, body: string) => body + "x".repeat(size - body.length);
    const form = await send(`${site.origin}/newsletter`, {
      method: "POST",
      headers: { "Content-Type": FORM },
      body: fill(64 * KB, "email=large@example.test&x="),
    });
    expect(form.status).toBe(303);
    expect(await countRows(site.database, "subscribers")).toBe(1);
    const webhook = await send(`${site.origin}/webhooks/stripe`, {
      method: "POST",
      body: fill(1024 * KB, "{"),
    });
    expect(webhook.status).toBe(400);
  });

  it("is not read where no body is expected", async () => {
    const answers = ["/", "/nothing", "/build/x.js", "/premium"].map(async (path) => {
      const connection = await connect();
      connection.write(head(`POST ${path}`, { "Content-Length": 1_000_000_000 }));
      connection.write("x".repeat(16 * KB));
      return connection.ended;
    });
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 40[45] /);
  });
});

describe("a malformed request", () => {
  it("is not smuggled in behind another one", async () => {
    const connection = await connect();
    const smuggled = "GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n";
    connection.write(
      `${head("POST /newsletter", { "Content-Length": 5, "Transfer-Encoding": "chunked" })}0\r\n\r\n${smuggled}`,
    );
    expect((await connection.ended).match(/HTTP\/1.1/g)).toHaveLength(1);
  });

  it("gets a 431 for too many headers", async () => {
    const headers = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`X-${i}`, "y"]));
    expect((await send(`${site.origin}/`, { headers })).status).toBe(431);
  });
});

it("a client that pipelines hundreds of requests is disconnected", async () => {
  const connection = await connect();
  connection.write(head("GET /auth/forgot-password", {}).repeat(500));
  const answers = (await connection.ended).match(/^HTTP\/1\.1 \d+/gm) ?? [];
  expect(answers.length).toBeLessThan(5);
  expect((await send(`${site.origin}/`)).status).toBe(200);
});

it("page requests beyond the concurrency limit wait, and everything else is served", async () => {
  const agent = new Agent({ maxSockets: 190 });
  const paths = Array.from({ length: 250 }, (_, i) => `/nothing/${i}`);
  const answers = Promise.all(paths.map((path) => send(site.origin + path, { agent })));
  const [landing, health] = await Promise.all([
    send(`${site.origin}/`),
    send(`${site.origin}/healthz`),
  ]);
  expect([landing.status, health.status]).toEqual([200, 200]);
  for (const { status } of await answers) expect(status).toBe(404);
  agent.destroy();
  expect(await site.metric("process_resident_memory_bytes")).toBeLessThan(300 * KB * KB);
});

/** The number of each kind of request in the flood. */
const FLOOD = { fetching: 20, stalled: 120, halfClosed: 60, oversized: 20, malformed: 100 };
const FLOOD_MS = 2_000;

describe("a flood of misbehaving clients", () => {
  it("causes no crash, open connection or memory leak, and the next visitor is served", async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: FLOOD.fetching });
    await flood(agent, Date.now() + 1_000);
    const base = await memory();

    const until = Date.now() + FLOOD_MS;
    const storm = [flood(agent, until), stall(), halfClose(), oversize(), malform(until)];
    // visitors are served meanwhile
    while (Date.now() < until) {
      expect((await send(`${site.origin}/`)).status).toBe(200);
      expect((await send(`${site.origin}/auth/forgot-password`)).status).toBe(200);
    }
    await Promise.all(storm);
    agent.destroy();

    // the program must close the stalled connections: the test does not
    await eventually(
      async () => expect(await site.metric("http_connections")).toBeLessThanOrEqual(2),
      { timeout: 60_000, interval: 500 },
    );
    expect(await site.metric("http_clients_rejected_total", { status: "408" })).toBeGreaterThan(
      FLOOD.stalled / 2,
    );
    await eventually(
      async () => {
        const { heap, outside } = await memory();
        expect(heap - base.heap).toBeLessThan(8 * KB * KB);
        expect(outside - base.outside).toBeLessThan(8 * KB * KB);
      },
      { timeout: 60_000, interval: 250 },
    );
    expect(await site.metric("process_resident_memory_bytes")).toBeLessThan(300 * KB * KB);
    expect(
      (await send(`${site.origin}/newsletter`, { json: { email: "calm@example.test" } })).status,
    ).toBe(200);
    expect(site.program.output()).toBe("");
  });

  /** The program's memory after a garbage collection, in bytes. */
  async function memory(): Promise<{ heap: number; outside: number }> {
    process.kill(site.program.pid, "SIGUSR2");
    return {
      heap: await site.metric("nodejs_heap_size_used_bytes"),
      outside: await site.metric("nodejs_external_memory_bytes"),
    };
  }

  /** Requests cached and rendered pages, files and unknown paths, as fast as possible. */
  async function flood(agent: Agent, until: number): Promise<void> {
    const paths = ["/", "/?utm=1", "/auth", "/auth/forgot-password", "/nothing", "/favicon.ico"];
    await Promise.all(
      Array.from({ length: FLOOD.fetching }, async (_, number) => {
        for (let i = number; Date.now() < until; i++) {
          const answer = await send(`${site.origin}${paths[i % paths.length]}`, { agent });
          expect(answer.status).toBeLessThan(500);
        }
      }),
    );
  }

  /** Starts requests that never complete: most stop in the headers, some in a form's body. */
  async function stall(): Promise<void> {
    for (let i = 0; i < FLOOD.stalled; i++) {
      const connection = await connect();
      connection.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Filler: ${"x".repeat(4 * KB)}`);
    }
  }

  async function halfClose(): Promise<void> {
    for (let i = 0; i < FLOOD.halfClosed; i++) {
      const connection = await connect();
      connection.write(
        head("POST /newsletter", { "Content-Type": FORM, "Content-Length": 30 * KB }),
      );
      connection.write("x".repeat(20 * KB));
      connection.finish();
    }
  }

  async function oversize(): Promise<void> {
    for (let i = 0; i < FLOOD.oversized; i++) {
      const connection = await connect();
      connection.write(head("POST /webhooks/stripe", { "Transfer-Encoding": "chunked" }));
      for (let sent = 0; sent < 2 * KB; sent += 64) {
        connection.write(`10000\r\n${"x".repeat(64 * KB)}\r\n`);
      }
      await connection.until(/^HTTP\/1\.1 413 /);
      connection.destroy();
    }
  }

  async function malform(until: number): Promise<void> {
    for (let i = 0; i < FLOOD.malformed && Date.now() < until; i++) {
      const connection = await connect();
      connection.write(Buffer.from(Array.from({ length: 200 }, (_, n) => (n * 7 + i * 13) % 256)));
      connection.write("\r\n\r\n");
      await connection.ended;
    }
  }
});
