import { closeSync, openSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, createConnection } from "node:net";
import { networkInterfaces } from "node:os";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { HttpServer } from "./http-server.server";
import { listeningHosts, listenOn } from "./loopback.server";

vi.mock("node:os", async (original) => {
  const os = await original<typeof import("node:os")>();
  return { ...os, networkInterfaces: vi.fn(os.networkInterfaces) };
});

/** What a machine with these addresses reports. */
function machineWith(...addresses: string[]): void {
  const interfaces = { lo: addresses.map((address) => ({ address })), off: undefined };
  vi.mocked(networkInterfaces).mockReturnValueOnce(interfaces as never);
}

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((network) => network?.address === "::1");
const servers: { close(timeoutMs: number): unknown }[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close(0);
});

describe("the addresses listened on", () => {
  it("are both loopback addresses for localhost, where the machine has both", () => {
    machineWith("127.0.0.1", "::1");
    expect(listeningHosts("LocalHost")).toEqual(["127.0.0.1", "::1"]);
    machineWith("127.0.0.1");
    expect(listeningHosts("localhost")).toEqual(["127.0.0.1"]);
  });

  it.each(["127.0.0.1", "0.0.0.0", "book.example", undefined])("are %s itself", (host) => {
    expect(listeningHosts(host)).toEqual([host]);
  });
});

describe("a server on inherited sockets", () => {
  it("opens no address of its own, and them not before it serves", async () => {
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

  it.skipIf(!hasIpv6)("counts the connections of both, and closes both", async () => {
    const server = await listenOn(0, "localhost", {});
    servers.push(server);
    const sockets = ["127.0.0.1", "::1"].map((host) => createConnection(Number(server.port), host));
    for (const socket of sockets) socket.on("error", () => {});
    await expect.poll(() => server.connections()).toBe(2);
    const closed = sockets.map((socket) => new Promise((done) => socket.once("close", done)));
    await server.close(0);
    await Promise.all(closed);
    await expect.poll(() => server.connections()).toBe(0);
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
