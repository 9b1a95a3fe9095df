import { once } from "node:events";
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PreparedResponse } from "~/server/prepared-response.server";

const BODY = Buffer.from("the path");
const HEADERS = [
  "Content-Type",
  "text/plain",
  "X-Name",
  "J\u00fcrgen",
  "X-Twice",
  "1",
  "X-Twice",
  "2",
];
const LENGTH = ["Content-Length", String(BODY.length)];

let full: PreparedResponse;
let notModified: PreparedResponse;
let server: Server;
let asWritten: RequestListener;
let asPrepared: RequestListener;
/** What a response has to go through before its head is written. */
let before: (response: ServerResponse) => void;

const NO_BODY = Buffer.alloc(0);

beforeEach(async () => {
  full = new PreparedResponse(200, [...HEADERS, ...LENGTH], BODY);
  notModified = new PreparedResponse(304, HEADERS, NO_BODY);
  before = () => {};
  asWritten = ({ method, url }, response) => {
    if (url === "/304") response.writeHead(304, HEADERS).end();
    else response.writeHead(200, [...HEADERS, ...LENGTH]).end(method === "HEAD" ? undefined : BODY);
  };
  asPrepared = ({ url }, response) => (url === "/304" ? notModified : full).send(response);
  server = createServer((request, response) => {
    before(response);
    const isPrepared = request.headers["x-prepared"] !== undefined;
    (isPrepared ? asPrepared : asWritten)(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
  vi.restoreAllMocks();
});

/** All that the server sends for `times` requests, and whether their connection takes another one then. */
async function exchange(requests: string, times = 1): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  const answers = async (count: number) => {
    while (received.split(/HTTP\/1\.1 [2-5]/).length <= count) await once(socket, "data");
  };
  socket.write(requests);
  await answers(times);
  const all = received;
  if (all.includes("\r\nConnection: close\r\n")) {
    if (!socket.readableEnded) await once(socket, "end");
    return `${received}\nclosed`;
  }
  socket.write("GET /304 HTTP/1.1\r\nHost: a\r\n\r\n");
  await answers(times + 1);
  socket.destroy();
  return `${all}\nopen`;
}

const withoutDate = (answer: string) => answer.replaceAll(/^Date: .*$/gm, "Date: now");

const prepared = (requests: string) => requests.replaceAll("\r\n\r\n", "\r\nX-Prepared: 1\r\n\r\n");

/** What a prepared response is each time it is sent, which must be what Node itself writes. */
async function expectSameAsWritten(requests: string, times = 1): Promise<string> {
  const expected = withoutDate(await exchange(requests, times));
  for (let i = 0; i < 3; i++) {
    expect(withoutDate(await exchange(prepared(requests), times))).toBe(expected);
  }
  return expected;
}

describe("a prepared response is, to the byte, what Node writes", () => {
  it.each([
    ["a request", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 200 OK\r\n.*the path\nopen$/s],
    ["HEAD", "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", /Content-Length: 8\r\n.*\r\n\r\n\nopen$/s],
    [
      "one for what the client has",
      "GET /304 HTTP/1.1\r\nHost: a\r\n\r\n",
      /^HTTP\/1\.1 304 Not Modified\r\n.*\r\n\r\n\nopen$/s,
    ],
    [
      "the last of a client",
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
      /Connection: close\r\n.*\nclosed$/s,
    ],
    ["HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", /Connection: close\r\n.*\nclosed$/s],
    [
      "HTTP/1.0 that is kept alive",
      "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      /Connection: keep-alive\r\n.*\nopen$/s,
    ],
    [
      "one that waits for leave to send its body",
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nExpect: 100-continue\r\n\r\n",
      /^HTTP\/1\.1 100 Continue\r\n/,
    ],
  ])("for %s", async (_name, request, expected) => {
    // the head is learned from an ordinary request
    await exchange(prepared("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    await exchange(prepared("GET /304 HTTP/1.1\r\nHost: a\r\n\r\n"));
    expect(await expectSameAsWritten(request)).toMatch(expected);
  });

  it("for requests that are sent without waiting", async () => {
    const one = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const all = await expectSameAsWritten(`${one}${one.replace("/", "/304")}${one}`, 3);
    expect(all.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 304", "HTTP/1.1 200"]);
  });

  it("for a server that closes and has said so", async () => {
    await exchange(prepared("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    before = (response) => response.setHeader("Connection", "close");
    const answer = await expectSameAsWritten("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    expect(answer).toMatch(/Connection: close\r\n.*\nclosed$/s);
  });
});

const GET = prepared("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

it("has the date of each response, and changes in nothing else", async () => {
  const first = withoutDate(await exchange(GET));
  const now = vi.spyOn(Date, "now");
  for (const time of ["Sun, 31 Dec 2028 23:59:59 GMT", "Mon, 01 Jan 2029 00:00:00 GMT"]) {
    for (const milliseconds of [0, 999]) {
      now.mockReturnValue(Date.parse(time) + milliseconds);
      const answer = await exchange(GET);
      expect(answer).toContain(`\r\nDate: ${time}\r\n`);
      expect(withoutDate(answer)).toBe(first);
    }
  }
});
