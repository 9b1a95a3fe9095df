import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { send } from "../../tests/support/http-client";
import { jsonResponse, TextResponse } from "../http/text-response.server";
import { startCompression } from "./answer-compression.server";
import { sendAnswer } from "./send-answer.server";

const HTML = new Headers({ "Content-Type": "text/html" });
let answer: Parameters<typeof sendAnswer>[1];
let origin: string;
const server = createServer((request, response) => {
  response.setHeader("X-Common", "1");
  void sendAnswer(response, answer, () => startCompression(request, response));
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** What a client gets that understands gzip. */
const received = (of: typeof answer, method = "POST") => {
  answer = of;
  return send(origin, { method, headers: { "Accept-Encoding": "gzip" } });
};

describe("a text", () => {
  it("is sent in one piece, with its length, status and headers", async () => {
    const headers = new Headers({ "Cache-Control": "no-store" });
    headers.append("Set-Cookie", "a=1");
    headers.append("Set-Cookie", "b=2");
    const {
      status,
      headers: got,
      cookies,
      text,
    } = await received(jsonResponse({ error: "Grüße 🏔" }, { status: 422, headers }));
    expect({ status, text, cookies }).toEqual({
      status: 422,
      text: '{"error":"Grüße 🏔"}',
      cookies: ["a=1", "b=2"],
    });
    expect(got).toMatchObject({
      "content-length": String(Buffer.byteLength(text)),
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-common": "1",
    });
    expect(got).not.toHaveProperty("transfer-encoding");
    expect(got).not.toHaveProperty("content-encoding");
  });

  it("that is empty has a length of 0", async () => {
    const { headers, text } = await received(new TextResponse(""));
    expect([headers["content-length"], text]).toEqual(["0", ""]);
  });

  it("that is long is compressed", async () => {
    const long = "What came of it today. ".repeat(100);
    const { headers, body } = await received(new TextResponse(long));
    expect(headers["content-encoding"]).toBe("gzip");
    expect(headers).not.toHaveProperty("content-length");
    expect(gunzipSync(body).toString()).toBe(long);
  });

  it("is left out of the answer to HEAD", async () => {
    const { headers, text } = await received(new TextResponse("Done.\n"), "HEAD");
    expect([headers["content-length"], text]).toEqual(["6", ""]);
  });
});

describe("a stream", () => {
  it("is compressed, and sent as it comes", async () => {
    const long = "<p>Page</p>".repeat(500);
    const { headers, body } = await received(
      new Response(long, { headers: { "Content-Type": "text/html" } }),
    );
    expect(headers["content-encoding"]).toBe("gzip");
    expect(gunzipSync(body).toString()).toBe(long);
  });
});

it("is compressed in a window of 64 KB, which is little memory", async () => {
  answer = new Response("<p>Page</p>".repeat(9_000), { headers: HTML });
  const { headers, body } = await send(origin, { headers: { "Accept-Encoding": "br" } });
  expect(headers["content-encoding"]).toBe("br");
  // a first bit of 0 stands for 16 (RFC 7932, 9.1)
  expect((body[0] ?? 1) & 1).toBe(0);
});

describe("a client that has disconnected", () => {
  it.each<[string, () => typeof answer, number]>([
    ["a text", () => new TextResponse("Done.\n"), 0],
    ["a long text", () => new TextResponse("a".repeat(5_000)), 0],
    ["a stream", () => new Response(new ReadableStream({ cancel: () => void cancelled++ })), 1],
  ])("is sent nothing of %s, which is not compressed either", async (_name, make, expected) => {
    const [request, response] = await new Promise<[IncomingMessage, ServerResponse]>((resolve) => {
      const other = createServer((...pair) => {
        pair[1].once("close", () => {
          other.close();
          resolve(pair);
        });
        pair[0].socket.destroy();
      }).listen(0, "127.0.0.1", () => {
        const { port } = other.address() as AddressInfo;
        fetch(`http://127.0.0.1:${port}`).catch(() => {});
      });
    });
    cancelled = 0;
    let isCompressing = false;
    await sendAnswer(response, make(), () => {
      isCompressing = true;
    });
    expect(request.destroyed).toBe(true);
    expect({ isCompressing, isSent: response.headersSent, cancelled }).toEqual({
      isCompressing: false,
      isSent: false,
      cancelled: expected,
    });
  });

  let cancelled = 0;
});
