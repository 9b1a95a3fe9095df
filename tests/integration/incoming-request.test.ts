import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { IncomingRequest } from "~/http/incoming-request.server";
import { readForm, readText } from "~/http/request-body.server";

type Handler = (
  request: IncomingRequest,
  response: ServerResponse,
  incoming: IncomingMessage,
) => unknown;

let server: ReturnType<typeof createServer> | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that answers with the text that `handle` returns; resolves to its port. */
async function serve(handle: Handler): Promise<number> {
  server = createServer(async (incoming, response) => {
    const text = await handle(
      new IncomingRequest(incoming, response, "https:"),
      response,
      incoming,
    );
    response.end(String(text));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

/** Posts pieces, each once the one before has been sent, and returns the answer. */
async function post(port: number, pieces: readonly string[], headers = {}): Promise<string> {
  const sent = request({ port, method: "POST", path: "/a?b=c", headers });
  sent.flushHeaders();
  for (const piece of pieces) {
    sent.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of answer) text += chunk;
  return text;
}

/** Sends the head of a post and a part of its body over a connection of its own. */
function postPart(port: number): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.write("POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 100\r\n\r\nthe first part");
  return socket;
}

const large = "0123456789".repeat(50_000);

describe("the request of a message", () => {
  it("has its method, address and headers", async () => {
    const port = await serve(({ method, url, headers }) =>
      JSON.stringify([method, url, headers.get("X-Letter"), headers.get("Cookie")]),
    );
    const headers = { Host: "a.example:81", "X-Letter": ["a", "b"], Cookie: ["c=1", "d=2"] };
    expect(JSON.parse(await post(port, [], headers))).toEqual([
      "POST",
      "https://a.example:81/a?b=c",
      "a, b",
      "c=1; d=2",
    ]);
  });

  it("is not made for an address that cannot be parsed", async () => {
    const port = await serve(() => "made");
    server?.removeAllListeners("request");
    server?.on("request", (incoming: IncomingMessage, response: ServerResponse) => {
      expect(() => new IncomingRequest(incoming, response, "https:")).toThrow(TypeError);
      response.end("not made");
    });
    expect(await post(port, [], { Host: "a b" })).toBe("not made");
  });

  it.each<[string, (request: IncomingRequest) => Promise<unknown>]>([
    ["by readText", (request) => readText(request, 1_000_000)],
    ["as a buffer", async (request) => Buffer.from(await request.arrayBuffer()).toString()],
    ["as a stream", (request) => new Response(request.body).text()],
    [
      "of a request made of its parts, as Remix does",
      ({ url, method, headers, signal, body }) =>
        new Request(url, { method, headers, signal, body, duplex: "half" }).text(),
    ],
  ])("gives its body %s", async (_, read) => {
    const port = await serve(read);
    expect(await post(port, ["the first", " and ", "the last"])).toBe("the first and the last");
    expect(await post(port, [])).toBe("");
    expect(await post(port, [large, large])).toBe(large + large);
  });

  it("reads a form whose pieces arrive one by one", async () => {
    const port = await serve(async (request) => JSON.stringify((await readForm(request)).fields));
    const headers = { "Content-Type": "application/json" };
    expect(await post(port, ['{"email":', '"a@b.example"', "}"], headers)).toBe(
      '{"email":"a@b.example"}',
    );
  });

  it("receives no more than is read", async () => {
    let received = 0;
    const port = await serve(async (request, _response, incoming) => {
      incoming.on("data", (chunk: Buffer) => {
        received += chunk.byteLength;
      });
      await request.readBody()?.read();
      await new Promise((resolve) => setTimeout(resolve, 100));
      return "enough";
    });
    const sent = request({ port, method: "POST" });
    sent.on("error", () => {});
    sent.write("0123456789".repeat(500_000));
    await once(sent, "response");
    expect(received).toBeLessThan(500_000);
  });

  it("fails to be read when the client disconnects before its end", async () => {
    const read: Promise<unknown>[] = [];
    const port = await serve((request) => {
      read.push(rejection(() => readText(request, 1_000)));
      return read[0];
    });
    const socket = postPart(port);
    await expect.poll(() => read.length).toBe(1);
    socket.resetAndDestroy();
    expect(await read[0]).toBe("400");
  });

  it("has a signal that aborts when the client disconnects before the answer", async () => {
    const signals: AbortSignal[] = [];
    let close: Promise<unknown> | undefined;
    const port = await serve(async (request, response) => {
      signals.push(request.signal);
      close = once(response, "close");
      await close;
      // asked for only afterwards
      signals.push(new IncomingRequest(response.req, response, "http:").signal);
    });
    const socket = postPart(port);
    await expect.poll(() => signals.length).toBe(1);
    expect(signals[0]?.aborted).toBe(false);
    socket.resetAndDestroy();
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it("has a signal that does not abort after the answer", async () => {
    const signals: AbortSignal[] = [];
    const port = await serve((request, response) => {
      signals.push(request.signal);
      response.once("close", () => {
        signals.push(new IncomingRequest(response.req, response, "http:").signal);
      });
      return request.text();
    });
    expect(await post(port, ["hello"])).toBe("hello");
    await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([false, false]);
  });
});

/** How something is rejected: with a response's status, or the name of an error. */
async function rejection(work: () => Promise<unknown>): Promise<string> {
  try {
    await work();
    return "not at all";
  } catch (error) {
    return error instanceof Response ? String(error.status) : (error as Error).name;
  }
}
