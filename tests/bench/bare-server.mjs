// The reference for the site's measurements: Node's own http server sending the same bytes, and nothing else.
import { createServer } from "node:http";

/** @type {Map<string, { status: number, headers: string[], body: Buffer }>} */
const answers = new Map();

process.on("message", (message) => {
  const { name, status, headers, body } =
    /** @type {{ name: string, status: number, headers: string[], body: string }} */ (message);
  answers.set(`/${name}`, { status, headers, body: Buffer.from(body, "base64") });
  process.send?.({ known: name });
});

const server = createServer((request, response) => {
  const answer = answers.get(request.url ?? "");
  if (!answer) {
    response.writeHead(404).end();
    return;
  }
  // reads a post's body, as any server has to
  request.resume();
  response.writeHead(answer.status, answer.headers);
  response.end(answer.body);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ port: typeof address === "object" && address ? address.port : 0 });
});
