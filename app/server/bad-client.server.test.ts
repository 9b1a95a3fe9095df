import { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { metricValue } from "../../tests/support/metrics";
import { rejectBadClient } from "./bad-client.server";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connection's socket, what has been written to it, and whether it was destroyed. */
function connection({ writable = true } = {}) {
  const state = { written: "", isDestroyed: false };
  const socket = Object.assign(new EventEmitter(), {
    writable,
    end: (text: string) => {
      state.written += text;
    },
    destroy: () => {
      state.isDestroyed = true;
    },
  });
  return { state, socket: socket as unknown as Socket };
}

const failure = (code?: string) => Object.assign(new Error("on purpose"), { code });

const counted = (status: number) => metricValue("http_clients_rejected_total", { status });

describe("a client whose request cannot be read", () => {
  it.each([
    ["HPE_INVALID_METHOD", 400, "Bad Request"],
    [undefined, 400, "Bad Request"],
    ["ERR_HTTP_REQUEST_TIMEOUT", 408, "Request Timeout"],
    ["HPE_CHUNK_EXTENSIONS_OVERFLOW", 413, "Payload Too Large"],
    ["HPE_HEADER_OVERFLOW", 431, "Request Header Fields Too Large"],
  ])("gets for %s the status %i, and is counted", async (code, status, reason) => {
    const before = await counted(status);
    const { state, socket } = connection();
    rejectBadClient(failure(code), socket, false);
    const [head = "", body] = state.written.split("\r\n\r\n");
    const [first, ...headers] = head.split("\r\n");
    expect(first).toBe(`HTTP/1.1 ${status} ${reason}`);
    expect(headers).toContain("X-Content-Type-Options: nosniff");
    expect(headers.slice(-4)).toEqual([
      "Content-Type: text/plain; charset=utf-8",
      `Content-Length: ${reason.length + 1}`,
      "Cache-Control: no-store",
      "Connection: close",
    ]);
    expect(body).toBe(`${reason}\n`);
    expect(await counted(status)).toBe(before + 1);
  });

  it("has a second to read the answer", () => {
    const { state, socket } = connection();
    rejectBadClient(failure(), socket, false);
    vi.advanceTimersByTime(999);
    expect(state.isDestroyed).toBe(false);
    vi.advanceTimersByTime(1);
    expect(state.isDestroyed).toBe(true);
  });

  it("is answered and counted once, however many errors the rest of its bytes cause", async () => {
    const before = await counted(400);
    const { state, socket } = connection();
    for (let error = 0; error < 3; error++) rejectBadClient(failure(), socket, false);
    expect(state.written.match(/HTTP\/1\.1/g)).toHaveLength(1);
    expect(await counted(400)).toBe(before + 1);
  });

  it("is disconnected without an answer in the middle of another request's", async () => {
    const before = await counted(400);
    const { state, socket } = connection();
    rejectBadClient(failure(), socket, true);
    expect(state).toEqual({ written: "", isDestroyed: true });
    expect(await counted(400)).toBe(before + 1);
  });

  it.each([
    ["has hung up", "ECONNRESET", true],
    ["no longer reads", undefined, false],
  ])("is neither answered nor counted when it %s", async (_what, code, writable) => {
    const before = await counted(400);
    const { state, socket } = connection({ writable });
    rejectBadClient(failure(code), socket, false);
    expect(state).toEqual({ written: "", isDestroyed: true });
    expect(await counted(400)).toBe(before);
  });
});
