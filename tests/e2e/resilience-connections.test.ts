import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { openConnection, send } from "../support/http-client";
import { type ProgramSite, startProgramSite } from "../support/program-site";

/** More than there may be at one time, at default limits. */
const MOST = 2_000;
const CROWD = MOST + 200;

let site: ProgramSite;
const crowd: Socket[] = [];
beforeAll(async () => {
  site = await startProgramSite({ LOG_LEVEL: "warn" });
});
afterAll(async () => {
  for (const socket of crowd) socket.destroy();
  await site?.close();
});

/** Begins a request from one of the addresses of 127.0.1.0/24, and never ends it. */
async function joinCrowd(number: number): Promise<void> {
  const { port } = new URL(site.origin);
  const localAddress = `127.0.1.${1 + (number % 6)}`;
  const socket = connect({ host: "127.0.0.1", port: Number(port), localAddress });
  socket.on("error", () => {});
  crowd.push(socket);
  await once(socket, "connect");
  socket.write("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ");
}

const securityLines = () =>
  site.program
    .output()
    .split("\n")
    .filter((line) => line.includes('"security":"connections-closed"'))
    .map((line) => JSON.parse(line));

// elsewhere loopback has one address
it.skipIf(process.platform !== "linux")(
  "a network that takes all connections loses some of them to new clients, and the operator finds it in the log",
  async () => {
    const kept = await openConnection(site.origin);
    for (let number = 0; number < CROWD; number += 100) {
      await Promise.all(Array.from({ length: 100 }, (_, i) => joinCrowd(number + i)));
    }
    for (let visit = 0; visit < 5; visit++) {
      expect((await send(`${site.origin}/`)).status).toBe(200);
    }
    // a connection from before the flood is still open, although it has been idle longest
    kept.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await kept.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 200 /);
    kept.destroy();

    expect(await site.metric("http_connections")).toBeLessThanOrEqual(MOST);
    const closed = () => site.metric("http_connections_closed_total");
    // the kernel has accepted some that the program has not seen yet
    await expect.poll(closed, { timeout: 10_000 }).toBeGreaterThanOrEqual(CROWD - MOST);
    expect(await closed()).toBeLessThan(CROWD / 2);
    await vi.waitFor(() => expect(securityLines()).toHaveLength(1), { timeout: 10_000 });
    expect(securityLines()).toMatchObject([{ network: "127.0.1.0/24", networks: 1 }]);
  },
);
