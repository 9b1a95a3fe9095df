// The reference for pages: Node's own http server that sends the same bytes, and nothing else. Forked.
import { createServer, get } from "node:http";

/** @type {{ status: number, headers: string[], body: Buffer }} */
let answer = { status: 404, headers: [], body: Buffer.alloc(0) };

process.on("message", (message) => {
  const { url, headers } = /** @type {{ url: string, headers: Record<string, string> }} */ (
    message
  );
  // not fetch, which decompresses
  get(url, { headers, agent: false }, async (copied) => {
    const body = Buffer.concat(await copied.toArray());
    const { date, connection, "keep-alive": _, "transfer-encoding": __, ...kept } = copied.headers;
    const sent = Object.entries({ ...kept, "content-length": body.byteLength });
    answer = {
      status: copied.statusCode ?? 500,
      headers: sent.flatMap(([name, value]) => [name, String(value)]),
      body,
    };
    process.send?.("copied");
  });
});

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.(typeof address === "object" && address ? address.port : 0);
});
