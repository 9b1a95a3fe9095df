import { networkInterfaces } from "node:os";
import { type HttpLimits, type HttpServer, listen } from "./http-server.server";

/**
 * The addresses that HOST stands for; undefined is all interfaces. `localhost` is both loopback addresses,
 * since browsers try either first and the other one could belong to somebody else's program.
 */
export function listeningHosts(host: string | undefined): (string | undefined)[] {
  if (host?.toLowerCase() !== "localhost") return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.some(({ address }) => address === "::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"];
}

/**
 * Listens on every address that HOST stands for, as one server: limits count for each of them. Throws an
 * OperatorError when one of them cannot be had.
 */
export async function listenOn(
  port: number,
  host: string | undefined,
  limits: Partial<HttpLimits>,
): Promise<HttpServer> {
  const servers: HttpServer[] = [];
  try {
    for (const address of listeningHosts(host)) {
      // PORT=0 lets the system choose once
      servers.push(await listen(servers[0]?.port ?? port, address, limits));
    }
  } catch (error) {
    await Promise.all(servers.map((server) => server.close(0)));
    throw error;
  }
  return {
    port: servers[0]?.port ?? port,
    serve: (listener) => {
      for (const server of servers) server.serve(listener);
    },
    connections: () => servers.reduce((sum, server) => sum + server.connections(), 0),
    close: async (timeoutMs) => {
      await Promise.all(servers.map((server) => server.close(timeoutMs)));
    },
  };
}
