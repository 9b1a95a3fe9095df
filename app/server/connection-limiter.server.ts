import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { type ClientNetworks, clientNetworks } from "~/http/client-network.server";
import { type Connection, ConnectionGroups } from "./connection-groups.server";

type Options = {
  /** Connections there may be at one time. */
  maxConnections: number;
  /**
   * Behind a proxy, the client that a request comes from. A connection of the proxy then counts as that
   * client's while it works for it.
   */
  addressOf?: (request: IncomingMessage) => string;
  /** Told of a connection that was closed to make room, by the networks it counted as. */
  onClosed?: (networks: ClientNetworks) => void;
};

/**
 * Keeps the number of connections within its bound without turning away who comes new: with one too many,
 * the least useful connection of the largest network is closed, by wide networks first and by narrow ones
 * within. So a network may have all that others leave free, and yields when they come.
 */
export class ConnectionLimiter {
  readonly #connections = new Map<Socket, Connection>();
  readonly #groups = new ConnectionGroups();

  constructor(private readonly options: Options) {}

  get size(): number {
    return this.#connections.size;
  }

  /** Takes a new connection in, and closes another if there are too many with it. */
  add(socket: Socket): void {
    const from = clientNetworks(socket.remoteAddress ?? "");
    const group = this.#groups.enter(from);
    const connection = { socket, from, group, unanswered: 0, since: Date.now() };
    group.waiting.add(connection);
    this.#connections.set(socket, connection);
    socket.once("close", () => this.#remove(connection));
    if (this.#connections.size > this.options.maxConnections) this.#closeLeastUseful();
  }

  /** Notes a request whose head has come, and gives how many of its connection have no answer yet. */
  requestBegun(request: IncomingMessage): number {
    const connection = this.#connections.get(request.socket);
    if (!connection) return 1;
    connection.unanswered += 1;
    if (connection.unanswered === 1) {
      connection.group.waiting.delete(connection);
      const { addressOf } = this.options;
      if (addressOf) this.#regroup(connection, clientNetworks(addressOf(request)));
      connection.group.busy.add(connection);
      connection.since = Date.now();
    }
    return connection.unanswered;
  }

  /** Notes that a request is over, answered or not. */
  requestEnded(socket: Socket): void {
    const connection = this.#connections.get(socket);
    if (!connection) return;
    connection.unanswered -= 1;
    if (connection.unanswered > 0) return;
    connection.group.busy.delete(connection);
    if (this.options.addressOf) this.#regroup(connection, connection.from);
    connection.group.waiting.add(connection);
    connection.since = Date.now();
  }

  /** Whether a connection has a request under way. */
  isBusy(socket: Socket): boolean {
    return (this.#connections.get(socket)?.unanswered ?? 0) > 0;
  }

  #closeLeastUseful(): void {
    const connection = this.#groups.largest()?.leastUseful();
    if (!connection) return;
    this.#remove(connection);
    this.options.onClosed?.(connection.group.networks);
    // closed in good order, the system would go on sending what is left and keep it in memory
    connection.socket.resetAndDestroy();
  }

  #remove(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    const { group } = connection;
    group.waiting.delete(connection);
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
