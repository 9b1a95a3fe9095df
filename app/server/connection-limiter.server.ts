import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type ClientNetworks, clientNetworks } from "~/http/client-network.server";
import { type Connection, ConnectionGroups } from "./connection-groups.server";

type Options = {
  /** Most connections open at one time. */
  maxConnections: number;
  /**
   * Behind a proxy, returns the address of the client a request comes from. While the request is in flight,
   * the proxy's connection counts towards that client.
   */
  addressOf?: (request: IncomingMessage) => string;
  /** Called when a connection has been closed to make room, with the networks it counted towards. */
  onClosed?: (networks: ClientNetworks) => void;
};

/**
 * Limits the number of connections without rejecting newcomers: when there is one too many, the least useful
 * connection of the largest network is closed, comparing wide networks first and the narrow ones within them
 * second. A network may therefore use all the capacity that others leave free, and yields it when they
 * connect.
 */
export class ConnectionLimiter {
  readonly #connections = new Map<Socket, Connection>();
  readonly #groups = new ConnectionGroups();

  constructor(private readonly options: Options) {}

  get size(): number {
    return this.#connections.size;
  }

  /** Registers a new connection, and closes another if there are now too many. */
  add(socket: Socket): void {
    const from = clientNetworks(socket.remoteAddress ?? "");
    const group = this.#groups.enter(from);
    const connection = { socket, from, group, unanswered: 0, since: Date.now() };
    group.idle.add(connection);
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#remove(connection));
    if (this.#connections.size > this.options.maxConnections) this.#closeLeastUseful();
  }

  /** Registers a request whose head has arrived; returns how many on its connection are unanswered. */
  requestBegun(request: IncomingMessage): number {
    const connection = this.#connections.get(request.socket);
    if (!connection) return 1;
    connection.unanswered += 1;
    if (connection.unanswered === 1) {
      connection.group.idle.delete(connection);
      const { addressOf } = this.options;
      if (addressOf) this.#regroup(connection, clientNetworks(addressOf(request)));
      connection.group.busy.add(connection);
      connection.since = Date.now();
    }
    return connection.unanswered;
  }

  /** Registers that a request has ended, answered or not. */
  requestEnded(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.unanswered -= 1;
    if (connection.unanswered > 0) return;
    connection.group.busy.delete(connection);
    if (this.options.addressOf) this.#regroup(connection, connection.from);
    connection.group.idle.add(connection);
    connection.since = Date.now();
  }

  /** Whether a connection has a request in flight. */
  isBusy(socket: Socket): boolean {
    return (this.#connections.get(socket)?.unanswered ?? 0) > 0;
  }

  #closeLeastUseful(): void {
    const connection = this.#groups.largest()?.leastUseful();
    if (!connection) return;
    this.#remove(connection);
    this.options.onClosed?.(connection.group.networks);
    // after an orderly close the kernel would keep the unsent data in memory while sending it
    connection.socket.resetAndDestroy();
  }

  #remove(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    const { group } = connection;
    group.idle.delete(connection);
    group.busy.delete(connection);
    this.#groups.leave(group);
  }

  #regroup(connection: Connection, networks: ClientNetworks): void {
    const { wide, narrow } = connection.group.networks;
    if (networks.narrow === narrow && networks.wide === wide) return;
    this.#groups.leave(connection.group);
    connection.group = this.#groups.enter(networks);
  }
}
