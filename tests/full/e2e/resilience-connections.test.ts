import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually";
import { openConnection, send } from "../../support/http-client";
import { type ProgramSite, startProgramSite } from "../../support/program-site";

/** The limit on connections of a /24. */
const LIMIT = 400;
const FLOOD = 1_200;

let site: ProgramSite;
const flood: Socket[] = [];
beforeAll(async () => {
  site = await startProgramSite({ LOG_LEVEL: "warn" });
});
afterAll(async () => {
  for (const socket of flood) socket.destroy();
  await site?.close();
});

/** Starts a request from one of six addresses in 127.0.1.0/24 that is never completed. */
async function openStalledRequest(number: number): Promise<void> {
  const { port } = new URL(site.origin);
  const localAddress = `127.0.1.${1 + (number % 6)}`;
  const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress });
  socket.on("error", () => {});
  flood.push(socket);
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
}

const securityLines = () =>
  site.program
    .output()
    .split("\n")
    .filter((line) => line.includes('"security":"connections-closed"'))
    .map((line) => JSON.parse(line));

// other systems have a single loopback address
it.skipIf(process.platform !== "linux")(
  "a network that opens too many connections loses them, and no other network does",
  async () => {
    const earlier = await openConnection(site.origin);
    for (let number = 0; number < FLOOD; number += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => openStalledRequest(number + i)));
    }
    for (let visit = 0; visit < 5; visit++) {
      expect((await send(`${site.origin}/`)).status).toBe(200);
    }
    // a connection from before the flood is still open, although it has been idle longest
    earlier.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await earlier.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 200 /);
    earlier.destroy();

    expect(await site.metric("http_connections")).toBeLessThanOrEqual(LIMIT + 10);
    const closed = () => site.metric("http_connections_closed_total");
    // the kernel may have accepted some that the program has not processed yet
    await expect.poll(closed).toBeGreaterThanOrEqual(FLOOD - LIMIT);
    await eventually(() => expect(securityLines()).toHaveLength(1));
    expect(securityLines()).toMatchObject([{ network: "127.0.1.0/24" }]);
  },
);
