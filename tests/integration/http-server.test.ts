import { closeSync, openSync, stat } from "node:fs";
import type { RequestListener } from "node:http";
import { createConnection, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type HttpLimits, type HttpServer, listen } from "~/server/http-server.server";
import { send } from "../support/http-client";

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** Echoes the request body once it is complete. */
const echo: RequestListener = (incoming, response) => {
  const chunks: Buffer[] = [];
  incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
  incoming.on("end", () => response.end(`got ${Buffer.concat(chunks)}`));
};

async function serve(
  limits: Partial<HttpLimits> = {},
  listener: RequestListener = echo,
): Promise<HttpServer> {
  const server = await listen({ port: 0, host: "127.0.0.1" }, limits);
  server.serve(listener);
  cleanUps.push(() => server.close(0));
  return server;
}

/** Opens a raw connection that stays half-open when the server ends it; returns the data received so far, too. */
function openSocket({ port }: HttpServer): { socket: Socket; received: () => string } {
  const socket = createConnection({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    text += chunk;
  });
  cleanUps.push(() => socket.destroy());
  return { socket, received: () => text };
}

/** Opens a raw connection; `ended` resolves to everything received until its end. */
function connectTo(server: HttpServer): { socket: Socket; ended: Promise<string> } {
  const { socket, received } = openSocket(server);
  socket.on("error", () => {});
  const ended = new Promise<string>((resolve) => {
    socket.once("end", () => socket.destroy());
    socket.once("close", () => resolve(received()));
  });
  return { socket, ended };
}

const get = ({ port }: HttpServer) => send(`http://127.0.0.1:${port}/`);

/** Longer than any test may take: a stop that waits for it fails its test. */
const AN_HOUR = 3_600_000;

const ASK = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

const firstData = (socket: Socket) => new Promise((resolve) => socket.once("data", resolve));

/** Sends a byte now and then. */
function drip(socket: Socket): void {
  const sending = setInterval(() => socket.write("x"), 20);
  cleanUps.push(() => clearInterval(sending));
}

const QUICK = { headersTimeout: 200, requestTimeout: 400, keepAliveTimeout: 200, idleTimeout: 400 };

describe("a misbehaving client", () => {
  it.each([
    ["no HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400],
    [
      "a length and chunks",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      400,
    ],
    ["too long headers", `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431],
  ])("gets an error status and is disconnected: %s", async (_name, bytes, status) => {
    const server = await serve();
    const { socket, ended } = connectTo(server);
    socket.write(bytes, "latin1");
    const answer = await ended;
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(answer).toMatch(/\r\nconnection: close\r\n/i);
    expect(answer).toContain("X-Content-Type-Options: nosniff");
    expect((await get(server)).status).toBe(200);
  });

  it("is disconnected when its headers take too long", async () => {
    const server = await serve(QUICK);
    const silent = connectTo(server);
    const slow = connectTo(server);
    slow.socket.write("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ");
    drip(slow.socket);
    expect(await slow.ended).toMatch(/^HTTP\/1.1 408 /);
    await silent.ended;
  });

  it("is disconnected when its body takes too long, and its request is aborted", async () => {
    let aborted = false;
    const server = await serve(QUICK, (incoming) => {
      incoming
        .on("error", () => {})
        .on("close", () => {
          aborted = !incoming.complete;
        });
      incoming.resume();
    });
    const slow = connectTo(server);
    slow.socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
    drip(slow.socket);
    await slow.ended;
    await expect.poll(() => aborted).toBe(true);
  });

  it("is disconnected when it does not read its response", async () => {
    const server = await serve(QUICK, (_incoming, response) => {
      response.end(Buffer.alloc(32 * 1024 * 1024));
    });
    const { socket, ended } = connectTo(server);
    socket.pause();
    socket.write(ASK);
    await expect.poll(() => server.connections()).toBe(1);
    await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(0);
    socket.resume();
    expect((await ended).length).toBeLessThan(32 * 1024 * 1024);
  });

  it("still gets its response after half-closing the connection", async () => {
    const server = await serve();
    const { socket, ended } = connectTo(server);
    socket.end("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi");
    expect(await ended).toContain("got hi");
  });

  it("is disconnected when it half-closes in the middle of a request", async () => {
    const server = await serve();
    for (const bytes of [
      "GET / HT",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhi",
      "",
    ]) {
      const { socket, ended } = connectTo(server);
      socket.end(bytes);
      expect(await ended).not.toContain("got");
    }
    expect((await get(server)).status).toBe(200);
  });
});

it("a response that is half sent is not followed by a rejection", async () => {
  const server = await serve({}, (_incoming, response) => {
    response.writeHead(200, { "Content-Length": 100 });
    response.write("half");
  });
  const { socket, ended } = connectTo(server);
  socket.write(ASK);
  await firstData(socket);
  socket.write("no request\r\n\r\n");
  expect((await ended).match(/HTTP\/1\.1/g)).toHaveLength(1);
});

it("a kept-alive connection serves another request, and is closed when none comes", async () => {
  const { socket, ended } = connectTo(await serve({ keepAliveTimeout: 200 }));
  for (const _request of [1, 2]) {
    socket.write(ASK);
    await firstData(socket);
  }
  expect((await ended).match(/HTTP\/1.1 200 OK/g)).toHaveLength(2);
});

describe("a client that is answered before it has sent everything", () => {
  /** Answers at the first bytes, and reads no more, as where a form is too long. */
  const refuse: RequestListener = (incoming, response) => {
    incoming.once("data", () => {
      incoming.pause();
      response.once("finish", () => incoming.resume());
      response.writeHead(413).end("too long");
    });
  };

  it("may send the rest, and another request after it", async () => {
    const { socket, ended } = connectTo(await serve({}, refuse));
    const post = (connection: string) =>
      `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\nConnection: ${connection}\r\n\r\n`;
    for (const connection of ["keep-alive", "close"]) {
      socket.write(post(connection));
      // fails if the connection is reset
      for (let sent = 0; sent < 200_000; sent += 1_000) {
        await new Promise<void>((resolve, reject) =>
          socket.write("x".repeat(1_000), (error) => (error ? reject(error) : resolve())),
        );
      }
    }
    expect((await ended).match(/HTTP\/1\.1 413 /g)).toHaveLength(2);
  });

  it("is disconnected when the rest takes too long", async () => {
    const server = await serve({ requestTimeout: 400, headersTimeout: 200 }, refuse);
    const { socket, ended } = connectTo(server);
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\nx");
    drip(socket);
    expect(await ended).toMatch(/^HTTP\/1\.1 413 /);
    await expect.poll(() => server.connections()).toBe(0);
  });
});

describe("one network", () => {
  it("may have 200 connections; more are closed at once, until others are", async () => {
    const server = await serve();
    const open = Array.from({ length: 200 }, () => connectTo(server));
    await expect.poll(() => server.connections()).toBe(200);
    expect(await connectTo(server).ended).toBe("");
    open[0]?.socket.end();
    await open[0]?.ended;
    await expect
      .poll(() =>
        get(server).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
  });

  it("may have more where they are a proxy's", async () => {
    const server = await serve({ isBehindProxy: true });
    for (let count = 0; count < 250; count++) connectTo(server);
    await expect.poll(() => server.connections()).toBe(250);
    expect((await get(server)).status).toBe(200);
  });
});

it("a request that asks for leave to send its body is given it at once", async () => {
  const server = await serve();
  const { socket, ended } = connectTo(server);
  socket.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  await firstData(socket);
  socket.write("walk");
  socket.end();
  expect(await ended).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n.*got walk$/s);
});

describe("stopping", () => {
  it("answers 503 while starting until there is something to serve", async () => {
    const server = await listen({ port: 0, host: "127.0.0.1" });
    cleanUps.push(() => server.close(0));
    const answer = await get(server);
    expect(answer.status).toBe(503);
    expect(answer.headers).toMatchObject({
      "retry-after": "1",
      "x-content-type-options": "nosniff",
    });
  });

  it("waits for requests in flight, and tells their clients not to reuse the connection", async () => {
    const server = await serve();
    const { socket, ended } = connectTo(server);
    socket.write("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhal");
    await expect.poll(() => server.connections()).toBe(1);
    // the request has to have reached the listener
    const other = await get(server);
    expect(other.status).toBe(200);

    const closed = server.close(5_000);
    await expect.poll(() => get(server).catch(() => "refused")).toBe("refused");
    socket.write("lo");
    expect(await ended).toMatch(/connection: close[\s\S]*got hallo/i);
    await closed;
  });

  it("answers clients that have connected when the stop comes", async () => {
    const server = await serve({ drainTimeout: 600 });
    // in the event loop's phase for I/O, where signals arrive, too
    const connected = await new Promise<ReturnType<typeof connectTo>[]>((resolve) => {
      stat(import.meta.filename, () => {
        resolve(Array.from({ length: 10 }, () => connectTo(server)));
        void server.close(30_000);
      });
    });
    for (const { socket } of connected) socket.write(ASK);
    for (const { ended } of connected) expect(await ended).toMatch(/^HTTP\/1.1 200 OK/);
  });

  it("does not wait for incomplete requests or idle connections", async () => {
    const server = await serve();
    const begun = connectTo(server);
    begun.socket.write("GET / HTTP/1.1\r\nHost:");
    const kept = connectTo(server);
    kept.socket.write(ASK);
    await firstData(kept.socket);
    await server.close(AN_HOUR);
    await Promise.all([begun.ended, kept.ended]);
  });

  it("drops requests that exceed the timeout", async () => {
    const server = await serve({}, () => {});
    const { socket, ended } = connectTo(server);
    socket.write(ASK);
    await expect.poll(() => server.connections()).toBe(1);
    await server.close(100);
    expect(await ended).toBe("");
  });
});

describe("behind a proxy", () => {
  const DRAINED = { drainTimeout: 600 };

  it("a request waits for the site to start, and a health check does not", async () => {
    const server = await listen({ port: 0, host: "127.0.0.1" }, DRAINED);
    cleanUps.push(() => server.close(0));
    const waiting = connectTo(server);
    waiting.socket.write(`GET /auth HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    for (const path of ["/healthz", "/readyz?verbose"]) {
      const check = connectTo(server);
      check.socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(await check.ended).toMatch(/^HTTP\/1.1 503 /);
    }
    await server.serve(echo);
    expect(await waiting.ended).toMatch(/^HTTP\/1.1 200 OK/);
  });

  it("a start that is given up answers the requests that wait for it, and ends at once", async () => {
    const server = await listen({ port: 0, host: "127.0.0.1" }, DRAINED);
    const waiting = connectTo(server);
    waiting.socket.write("GET /auth HTTP/1.1\r\nHost: a\r\n\r\n");
    await expect.poll(() => server.connections()).toBe(1);
    await server.close(20_000);
    expect(await waiting.ended).toMatch(/^HTTP\/1.1 503 /);
  });

  it("a stop serves what comes on open connections, new and kept, and then ends them", async () => {
    const server = await serve(DRAINED);
    const fresh = connectTo(server);
    const kept = connectTo(server);
    kept.socket.write(ASK);
    await firstData(kept.socket);
    await expect.poll(() => server.connections()).toBe(2);

    const closed = server.close(30_000);
    fresh.socket.write(ASK);
    kept.socket.write(ASK);
    expect(await fresh.ended).toMatch(/^HTTP\/1.1 200 OK[\s\S]*connection: close/i);
    expect(await kept.ended).toMatch(/200 OK[\s\S]*200 OK[\s\S]*connection: close/i);
    await closed;
  });

  it("a stop does not wait longer than that for a connection that is not used", async () => {
    const server = await serve(DRAINED);
    const idle = connectTo(server);
    await expect.poll(() => server.connections()).toBe(1);
    await server.close(AN_HOUR);
    expect(await idle.ended).toBe("");
  });
});

describe("an inherited socket", () => {
  it("that is none, or that is not for listening, is one sentence", async () => {
    const file = openSync(import.meta.filename, "r");
    cleanUps.push(() => closeSync(file));
    const server = await listen({ fd: file });
    await expect(server.serve(echo)).rejects.toThrow(
      /^The socket that LISTEN_FDS passes on cannot be listened on \(\w+\): its unit has to name a port as ListenStream=, without Accept=yes\.$/,
    );
  });
});

describe("requests that are sent before the answers to those before them", () => {
  const pipelined = (count: number) => "GET / HTTP/1.1\r\nHost: site.test\r\n\r\n".repeat(count);

  it("are answered in their order", async () => {
    let requests = 0;
    const server = await serve(
      {},
      (_request, response) => void response.end(`answer ${++requests}`),
    );
    const { socket, received } = openSocket(server);
    socket.write(pipelined(2));
    await expect.poll(() => received().match(/answer \d/g)).toEqual(["answer 1", "answer 2"]);
  });

  it("end their connection when there are more than two, and are forgotten with it", async () => {
    let requests = 0;
    const server = await serve({}, () => {
      requests += 1;
    });
    const { socket } = openSocket(server);
    socket.write(pipelined(20));
    await expect.poll(() => socket.readableEnded || socket.destroyed).toBe(true);
    socket.destroy();
    await expect.poll(server.connections).toBe(0);
    expect(requests).toBe(2);
  });
});
