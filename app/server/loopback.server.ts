import { networkInterfaces } from "node:os";
import { type HttpLimits, type HttpServer, listen } from "./http-server.server";

/**
 * The addresses that HOST stands for; undefined is all interfaces. `localhost` is both loopback addresses,
 * since browsers may try either first and another program could be listening on the other.
 */
export function listeningHosts(host: string | undefined): (string | undefined)[] {
  if (host?.toLowerCase() !== "localhost") return [host];
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.some(({ address }) => address === "::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"];
}

/**
 * Listens on every address that HOST stands for, or on the inherited sockets instead, as one server. The limits apply
 * to each address separately. Throws an OperatorError when one of them cannot be opened.
 */
export async function listenOn(
  port: number,
  host: string | undefined,
  limits: Partial<HttpLimits>,
  inherited: readonly number[] = [],
): Promise<HttpServer> {
  const servers: HttpServer[] = [];
  try {
    for (const fd of inherited) servers.push(await listen({ fd }, limits));
    for (const address of inherited.length > 0 ? [] : listeningHosts(host)) {
      // for PORT=0 the first address gets a port from the system, and the others use the same
      servers.push(await listen({ port: servers[0]?.port ?? port, host: address }, limits));
    }
  } catch (error) {
    await Promise.all(servers.map((server) => server.close(0)));
    throw error;
  }
  return {
    port: servers[0]?.port ?? null,
    serve: async (listener) => {
      for (const server of servers) await server.serve(listener);
    },
    connections: () => servers.reduce((sum, server) => sum + server.connections(), 0),
    close: async (timeoutMs) => {
      await Promise.all(servers.map((server) => server.close(timeoutMs)));
    },
  };
}
