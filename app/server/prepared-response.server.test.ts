import { once } from "node:events";
import { createServer, type RequestListener, type Server, ServerResponse } from "node:http";
import { type AddressInfo, connect, Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PreparedResponse } from "./prepared-response.server";

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
      "HTTP/1.0 that is kept alive, for what the client has",
      "GET /304 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
      /^HTTP\/1\.1 304 /,
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

  it("with a header that the response has already", async () => {
    await exchange(prepared("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
    before = (response) => response.setHeader("X-More", "yes");
    expect(await expectSameAsWritten("GET / HTTP/1.1\r\nHost: a\r\n\r\n")).toContain("X-More: yes");
  });
});

describe("what is learned about a head", () => {
  it("is not learned from a response with a header of its own", async () => {
    before = (response) => response.setHeader("X-More", "yes");
    expect(await exchange(GET)).toContain("X-More: yes");
    before = () => {};
    await expectSameAsWritten("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  });
});

const GET = prepared("GET / HTTP/1.1\r\nHost: a\r\n\r\n");

it("is written out by Node for the first response only", async () => {
  const writeHead = vi.spyOn(ServerResponse.prototype, "writeHead");
  for (let i = 0; i < 3; i++) await exchange(GET);
  expect(writeHead.mock.calls.filter(([status]) => status === 200)).toHaveLength(1);
});

it("is not taken in by headers whose names only end like those it looks for", async () => {
  const similar = ["X-Date", "today", "X-Transfer-Encoding", "none", "X-Connection", "close by"];
  full = new PreparedResponse(200, [...similar, ...LENGTH], BODY);
  const writeHead = vi.spyOn(ServerResponse.prototype, "writeHead");
  for (let i = 0; i < 3; i++) {
    const answer = await exchange(GET);
    expect(answer).toContain("\r\nX-Date: today\r\n");
    expect(answer).toMatch(/\r\nDate: \w{3}, /);
  }
  expect(writeHead.mock.calls.filter(([status]) => status === 200)).toHaveLength(1);
});

it("has all of its headers when the clock is at its beginning, as of a machine that has lost the time", async () => {
  vi.spyOn(Date, "now").mockReturnValue(0);
  const first = withoutDate(await exchange(GET));
  for (let i = 0; i < 2; i++) expect(withoutDate(await exchange(GET))).toBe(first);
});

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

it("tells the response's status and that its head is known", async () => {
  await exchange(GET);
  const seen: unknown[] = [];
  asPrepared = (_request, response) => {
    notModified.send(response);
    seen.push([response.statusCode, response.headersSent, response.writableEnded]);
  };
  await exchange(GET);
  await exchange(GET);
  expect(seen).toEqual([
    [304, true, true],
    [304, true, true],
  ]);
});

it("cannot be sent twice", async () => {
  await exchange(GET);
  const errors: unknown[] = [];
  asPrepared = (_request, response) => {
    full.send(response);
    try {
      full.send(response);
    } catch (error) {
      errors.push(error);
    }
  };
  await exchange(GET);
  expect(errors).toMatchObject([{ code: "ERR_HTTP_HEADERS_SENT" }]);
});

it.each([
  [
    "a length",
    ["Content-Type", "text/plain"],
    /Transfer-Encoding: chunked\r\n.*\r\n8\r\nthe path\r\n0\r\n\r\n/s,
  ],
  [
    "an end to the connection",
    [...LENGTH, "Connection", "close"],
    /Connection: close\r\n.*\nclosed$/s,
  ],
])(
  "is written out by Node each time for headers that decide on %s",
  async (_what, headers, expected) => {
    full = new PreparedResponse(200, headers, BODY);
    for (let i = 0; i < 3; i++) expect(await exchange(GET)).toMatch(expected);
  },
);

it.each([
  ["keeps no head to learn from", {}],
  ["does not tell whether it has sent the head", { _header: "HTTP/1.1 200 OK\r\nDate: now\r\n" }],
  ["writes no date", { _header: "HTTP/1.1 200 OK\r\n", _headerSent: false }],
])("is written out by Node each time where Node %s", (_what, properties) => {
  const written: unknown[] = [];
  const ended: unknown[] = [];
  const response = {
    ...properties,
    shouldKeepAlive: true,
    req: { httpVersionMinor: 1 },
    headersSent: false,
    getHeaderNames: () => [],
    writeHead: (...head: unknown[]) => written.push(head),
    end: (body: unknown) => ended.push(body),
  } as unknown as ServerResponse;
  const before = { ...response };
  for (let i = 0; i < 3; i++) full.send(response);
  expect(written).toHaveLength(3);
  expect(ended).toEqual([BODY, BODY, BODY]);
  expect(response).toEqual(before);
});

describe("a client that is slow to receive a long response", () => {
  const LONG = Buffer.alloc(20_000_000, "abcdefgh");
  const dateOf = (answer: string) => /^Date: .* 00:00:0(\d) GMT\r$/m.exec(answer)?.[1];
  const bodyOf = (answer: string) => answer.slice(answer.indexOf("\r\n\r\n") + 4);
  let second: (number: number) => void;
  /** In how many pieces responses were written to their connections. */
  let pieces: number[];

  beforeEach(async () => {
    full = new PreparedResponse(200, ["Content-Length", String(LONG.length)], LONG);
    const now = vi.spyOn(Date, "now");
    second = (number) => now.mockReturnValue(Date.UTC(2029, 0, 1, 0, 0, number));
    second(0);
    await receive(slowClient());
    pieces = [];
    asPrepared = (_request, response) => {
      const write = vi.spyOn(response.socket as Socket, "write");
      full.send(response);
      pieces.push(write.mock.calls.filter(([chunk]) => chunk.length > 0).length);
    };
  });

  /** Asks, and takes what the kernel takes for it. */
  function slowClient(): Socket {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.pause();
    socket.write(GET);
    return socket;
  }

  async function sent(count: number) {
    await vi.waitFor(() => expect(pieces).toHaveLength(count));
  }

  async function receive(socket: Socket): Promise<string> {
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of socket) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > LONG.length) break;
    }
    return Buffer.concat(chunks).toString("latin1");
  }

  /** What the client has received, which must be the whole of the response of that second. */
  async function expectReceived(socket: Socket, date: string) {
    const answer = await receive(socket);
    expect(dateOf(answer)).toBe(date);
    expect(bodyOf(answer) === LONG.toString("latin1")).toBe(true);
  }

  it("keeps the date that it began with, while others are given theirs", async () => {
    second(1);
    const slow = slowClient();
    await sent(1);
    second(2);
    const other = slowClient();
    await sent(2);
    second(3);
    await expectReceived(other, "2");
    await expectReceived(slow, "1");
    expect(pieces).toEqual([1, 2]);
  });

  it("costs the memory of no second copy of it", async () => {
    const memory: unknown[] = [];
    const send = asPrepared;
    asPrepared = (request, response) => {
      const write = vi.spyOn(response.socket as Socket, "write");
      send(request, response);
      const chunks = write.mock.calls.flatMap(([chunk]) => (Buffer.isBuffer(chunk) ? [chunk] : []));
      memory.push(...chunks.map((chunk) => chunk.buffer));
    };
    for (const number of [1, 2, 2]) {
      second(number);
      await expectReceived(slowClient(), String(number));
    }
    const slow = slowClient();
    await sent(4);
    second(3);
    await expectReceived(slowClient(), "3");
    await expectReceived(slow, "2");
    expect(memory).toHaveLength(5);
    expect(new Set(memory).size).toBe(1);
  });

  it.each([
    ["received it", (socket: Socket) => receive(socket)],
    ["gone", async (socket: Socket) => void socket.destroy()],
  ])("lets those after it have one piece again when it has %s", async (_how, end) => {
    second(1);
    const slow = [slowClient(), slowClient()];
    await sent(2);
    second(2);
    for (const socket of slow) await end(socket);
    await vi.waitFor(async () => {
      const count = pieces.length;
      const other = slowClient();
      await sent(count + 1);
      await expectReceived(other, "2");
      expect(pieces.at(-1)).toBe(1);
    });
  });

  it("makes them wait until the last one has it", async () => {
    second(1);
    const [first, last] = [slowClient(), slowClient()];
    await sent(2);
    await receive(first as Socket);
    second(2);
    await expectReceived(slowClient(), "2");
    expect(pieces).toEqual([1, 1, 2]);
    await expectReceived(last as Socket, "1");
  });
});

it("is in two pieces where the response waits for one before it, as its connection may be gone unnoticed", async () => {
  await exchange(GET);
  const held: ServerResponse[] = [];
  let isSent = false;
  asPrepared = (_request, response) => {
    if (held.push(response) === 1) return;
    full.send(response);
    isSent = true;
  };
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  socket.write(GET + GET);
  await vi.waitFor(() => expect(isSent).toBe(true));
  socket.destroy();
  await vi.waitFor(() => expect(held[0]?.destroyed).toBe(true));
  asPrepared = (_request, response) => full.send(response);
  const now = vi.spyOn(Date, "now").mockReturnValue(Date.UTC(2029, 0, 1));
  await exchange(GET);
  now.mockReturnValue(Date.UTC(2029, 0, 2));
  const write = vi.spyOn(Socket.prototype, "write");
  expect(await exchange(GET)).toContain("\r\nDate: Tue, 02 Jan 2029 00:00:00 GMT\r\n");
  const written = write.mock.calls.map(([piece]) => String(piece));
  expect(written.filter((piece) => /^(HTTP\/1.1 200|the path)/.test(piece))).toHaveLength(1);
});
