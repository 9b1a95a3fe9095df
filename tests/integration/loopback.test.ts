import { closeSync, openSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it } from "vitest";
import type { HttpServer } from "~/server/http-server.server";
import { listenOn } from "~/server/loopback.server";

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((network) => network?.address === "::1");
const servers: { close(timeoutMs: number): unknown }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0);
});

describe("a server on inherited sockets", () => {
  it("opens no address of its own, and accepts on the inherited ones only once it serves", async () => {
    // no socket, by which it shows that it is asked for
    const fd = openSync(import.meta.filename, "r");
    try {
      // an address that this machine does not have
      const server = await listenOn(0, "192.0.2.1", {}, [fd]);
      servers.push(server);
      expect(server.port).toBeNull();
      await expect(server.serve(() => {})).rejects.toThrow("LISTEN_FDS");
    } finally {
      closeSync(fd);
    }
  });
});

describe("a server on localhost", () => {
  const statusAt = async (host: string, { port }: HttpServer) =>
    (await fetch(`http://${host}:${port}/`)).status;

  it.skipIf(!hasIpv6)("answers on both addresses, on one port of the system's choice", async () => {
    const server = await listenOn(0, "localhost", {});
    servers.push(server);
    server.serve((_request, response) => void response.writeHead(204).end());
    expect(await statusAt("127.0.0.1", server)).toBe(204);
    expect(await statusAt("[::1]", server)).toBe(204);
  });

  it.skipIf(!hasIpv6)("opens neither address when one is taken", async () => {
    const taken: Server = createServer();
    await new Promise<void>((done) => taken.listen(0, "::1", done));
    servers.push({ close: () => taken.close() });
    const { port } = taken.address() as AddressInfo;
    await expect(listenOn(port, "localhost", {})).rejects.toThrow();
    const free = await listenOn(port, "127.0.0.1", {});
    servers.push(free);
    expect(free.port).toBe(port);
  });
});
