import { EventEmitter } from "node:events";
import { type RequestListener, request, type ServerResponse } from "node:http";
import { createConnection, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ConnectionLimiter } from "~/server/connection-limiter.server";
import { availableConnections } from "~/server/file-descriptors.server";
import { type HttpLimits, type HttpServer, listen } from "~/server/http-server.server";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Answers at once, except `/slow`, which is never answered. */
async function serve(limits: Partial<HttpLimits>): Promise<HttpServer> {
  const site: RequestListener = (incoming, response) => {
    incoming.resume().on("error", () => {});
    if (incoming.url !== "/slow") response.end("welcome");
  };
  const server = await listen({ port: 0, host: "127.0.0.1" }, limits);
  server.serve(site);
  cleanUps.push(() => server.close(0));
  return server;
}

/** A connection from a loopback address; each 127.0.x.0/24 is a separate wide network. */
type Client = {
  address: string;
  isOpen: boolean;
  /** Sends data and resolves on the first data received. */
  ask(words: string): Promise<void>;
};

async function connectFrom(server: HttpServer, localAddress: string, words = ""): Promise<Client> {
  const socket = createConnection({ port: Number(server.port), host: "127.0.0.1", localAddress });
  cleanUps.push(() => socket.destroy());
  const client: Client = {
    address: localAddress,
    isOpen: true,
    ask: (more) => {
      socket.write(more);
      return new Promise((resolve) => socket.once("data", () => resolve()));
    },
  };
  socket
    .on("error", () => {})
    .on("close", () => {
      client.isOpen = false;
    });
  await new Promise((resolve) => socket.once("connect", resolve));
  if (words) socket.write(words);
  return client;
}

async function connectAll(
  server: HttpServer,
  addresses: string[],
  words?: string,
): Promise<Client[]> {
  const clients: Client[] = [];
  for (const address of addresses) clients.push(await connectFrom(server, address, words));
  return clients;
}

/** Connections with a request in flight that is never answered and whose body never ends. */
async function connectBusy(
  server: HttpServer,
  addresses: string[],
  headers = "",
): Promise<Client[]> {
  const clients = await connectAll(server, addresses);
  const upload = "POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n";
  // 100 Continue confirms that the server has the request
  for (const client of clients) await client.ask(`${upload}${headers}\r\nhalf`);
  return clients;
}

/** The address, `count` times. */
const times = (count: number, address: string): string[] => Array(count).fill(address);

const ask = (headers = "") => `GET / HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;

/** The status of a request on a new connection from an address. */
function statusFor(server: HttpServer, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request({ port: server.port, host: "127.0.0.1", localAddress, agent: false }, (incoming) => {
      incoming.resume().on("end", () => resolve(incoming.statusCode ?? 0));
    })
      .on("error", reject)
      .end();
  });
}

const closed = (clients: Client[]) =>
  clients.flatMap(({ isOpen }, index) => (isOpen ? [] : [index]));

// other systems have a single loopback address
describe.skipIf(process.platform !== "linux")("when all connections are in use", () => {
  it("a visitor from another network is served, and the longest idle connection is closed", async () => {
    const server = await serve({ maxConnections: 6 });
    const flood = await connectAll(server, times(6, "127.0.1.1"));
    expect(await statusFor(server, "127.0.2.1")).toBe(200);
    await expect.poll(() => closed(flood)).toEqual([0]);
  });

  it("a network that keeps connecting loses only its own connections", async () => {
    const server = await serve({ maxConnections: 12 });
    const visitors = await connectAll(server, [...times(3, "127.0.2.1"), "127.0.3.1"]);
    const flood = await connectAll(server, times(60, "127.0.1.1"), "GET / HTTP/1.1\r\nX-Slow: ");
    await expect.poll(() => closed(flood).length).toBe(52);
    expect(closed(visitors)).toEqual([]);
    await visitors[0]?.ask(ask());
    expect(server.connections()).toBe(12);
  });

  it("the addresses of one wide network count together", async () => {
    const server = await serve({ maxConnections: 9 });
    const household = await connectAll(server, times(3, "127.0.2.1"));
    const flood = await connectAll(
      server,
      [1, 2, 3, 4, 5, 6].map((host) => `127.0.1.${host}`),
    );
    expect(await statusFor(server, "127.0.3.1")).toBe(200);
    await expect.poll(() => closed(flood).length).toBe(1);
    expect(closed(household)).toEqual([]);
  });

  it("within a wide network, the largest narrow network loses a connection", async () => {
    const server = await serve({ maxConnections: 5 });
    const clients = await connectAll(server, ["127.0.1.1", ...times(4, "127.0.1.2")]);
    expect(await statusFor(server, "127.0.1.3")).toBe(200);
    await expect.poll(() => closed(clients)).toEqual([1]);
  });

  it("idle connections are closed before those waiting for a response", async () => {
    const server = await serve({ maxConnections: 6 });
    const busy = await connectBusy(server, times(2, "127.0.1.1"));
    const silent = await connectAll(server, times(2, "127.0.1.1"));
    const answered = await connectAll(server, times(2, "127.0.1.1"));
    for (const client of answered) await client.ask(ask());
    // an idle connection's time counts from its last response, so a request renews it
    await silent[0]?.ask(ask());
    await connectAll(server, ["127.0.2.1"]);
    await expect.poll(() => closed(silent)).toEqual([1]);
    await connectAll(server, ["127.0.3.1"]);
    await expect.poll(() => closed(answered)).toEqual([0]);
    expect([closed(busy), closed(silent)]).toEqual([[], [1]]);
  });

  it("with a request on every connection, the longest in flight is closed", async () => {
    const server = await serve({ maxConnections: 4 });
    const busy = await connectBusy(server, times(4, "127.0.1.1"));
    expect(await statusFor(server, "127.0.2.1")).toBe(200);
    await expect.poll(() => closed(busy)).toEqual([0]);
  });

  it("a newcomer in the network of a slow flood is given time for a request", async () => {
    const server = await serve({ maxConnections: 4 });
    const flood = await connectBusy(server, times(4, "127.0.1.1"));
    await expect
      .poll(() => statusFor(server, "127.0.1.1").catch(() => 0), { timeout: 60_000 })
      .toBe(200);
    expect(closed(flood)).toContain(0);
  });
});

describe("behind a proxy", () => {
  const addressOf: HttpLimits["addressOf"] = ({ headers }) => String(headers["x-forwarded-for"]);
  const on = (client: string) => `X-Forwarded-For: ${client}\r\n`;

  it("a connection counts towards the client of its current request", async () => {
    const server = await serve({ maxConnections: 8, addressOf });
    const visitor = await connectBusy(server, times(2, "127.0.0.1"), on("192.0.2.1"));
    const flood = await connectBusy(server, times(6, "127.0.0.1"), on("2001:db8::1"));
    const next = await connectBusy(server, times(3, "127.0.0.1"), on("198.51.100.1"));
    await expect.poll(() => closed(flood)).toEqual([0, 1, 2]);
    expect([closed(visitor), closed(next)]).toEqual([[], []]);
  });

  it("an idle connection counts towards the proxy, and is closed first if most are idle", async () => {
    const server = await serve({ maxConnections: 6, addressOf });
    const busy = await connectBusy(server, times(2, "127.0.0.1"), on("192.0.2.1"));
    const kept = await connectAll(server, times(4, "127.0.0.1"));
    for (const client of kept) await client.ask(ask(on("192.0.2.1")));
    await connectBusy(server, ["127.0.0.1"], on("192.0.2.1"));
    await expect.poll(() => closed(kept)).toEqual([0]);
    expect(closed(busy)).toEqual([]);
  });
});

describe("a connection", () => {
  /** A limiter, and connections from one network that report when they are closed. */
  function scene(maxConnections: number, addressOf?: HttpLimits["addressOf"]) {
    const limiter = new ConnectionLimiter({ maxConnections, addressOf });
    const closed: string[] = [];
    const connect = (name: string) => {
      const socket = Object.assign(new EventEmitter(), {
        remoteAddress: "192.0.2.1",
        resetAndDestroy: () => void closed.push(name),
      }) as unknown as Socket;
      limiter.add(socket);
      const responses: ServerResponse[] = [];
      return {
        socket,
        begin: () => {
          const response = { req: { socket, headers: {} } } as ServerResponse;
          responses.push(response);
          return limiter.requestBegun(response);
        },
        /** Ends the response to the first of its requests, or to the last. */
        end: (which: "first" | "last" = "first") => {
          const response = which === "first" ? responses.shift() : responses.pop();
          if (response) limiter.requestEnded(response);
        },
      };
    };
    return { limiter, closed, connect };
  }

  it("is busy until the last of its pipelined requests has ended", () => {
    const { limiter, closed, connect } = scene(2);
    const pipelined = connect("pipelined");
    expect(limiter.isBusy(pipelined.socket)).toBe(false);
    expect([pipelined.begin(), pipelined.begin(), pipelined.begin()]).toEqual([1, 2, 3]);
    pipelined.end("last");
    pipelined.end("first");
    expect(limiter.isBusy(pipelined.socket)).toBe(true);
    expect([...limiter.lastUnfinished()]).toHaveLength(1);
    connect("idle");
    connect("newcomer");
    expect(closed).toEqual(["idle"]);
    pipelined.end();
    expect(limiter.isBusy(pipelined.socket)).toBe(false);
    expect(limiter.size).toBe(2);
  });
});

it("allows no more connections than there are file descriptors", () => {
  const limits = (files: number) =>
    `Max processes  63208  63208  processes\nMax open files            ${files}                 524288               files\n`;
  expect(availableConnections(2_000, limits(524_288))).toBe(2_000);
  expect(availableConnections(2_000, limits(1_024))).toBe(768);
  expect(availableConnections(2_000, limits(100))).toBe(64);
  expect(availableConnections(2_000, "")).toBe(2_000);
});
