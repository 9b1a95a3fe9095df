import { once } from "node:events";
import { createServer } from "node:http";

/**
 * A server for browsers on this machine that answers every request with a stream of events, one for each call
 * of `reloadPages` (`app/ui/live-reload.tsx`).
 *
 * @returns {Promise<{ url: URL, reloadPages: () => void }>}
 */
export async function startLiveReloadServer() {
  /** @type {Set<import("node:http").ServerResponse>} */
  const pages = new Set();
  const server = createServer((_request, response) => {
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "Access-Control-Allow-Origin": "*",
    });
    response.flushHeaders();
    pages.add(response);
    response.once("close", () => pages.delete(response));
  });
  server.listen(0, "localhost");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  return {
    url: new URL(`http://localhost:${port}`),
    reloadPages: () => {
      for (const page of pages) page.write("data: reload\n\n");
    },
  };
}
