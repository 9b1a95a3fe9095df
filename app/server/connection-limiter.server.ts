import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { Node } from "yallist";
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
  /** Each in its place in one of its group's lists; every request moves it from one to the other and back. */
  readonly #connections = new Map<Socket, Node<Connection>>();
  readonly #groups = new ConnectionGroups();

  constructor(private readonly options: Options) {}

  get size(): number {
    return this.#connections.size;
  }

  /** Registers a new connection, and closes another if there are now too many. */
  add(socket: Socket): void {
    const from = clientNetworks(socket.remoteAddress ?? "");
    const group = this.#groups.enter(from);
    const place = new Node<Connection>({ socket, from, group, unfinished: [], since: Date.now() });
    group.idle.pushNode(place);
    this.#connections.set(socket, place);
    socket.once("close", () => this.#remove(place));
    if (this.#connections.size > this.options.maxConnections) this.#closeLeastUseful();
  }

  /** Of each connection with a request in flight the last response, which is sent after all others on it. */
  *lastUnfinished(): Generator<ServerResponse> {
    for (const { value: connection } of this.#connections.values()) {
      const last = connection.unfinished.at(-1);
      if (last) yield last;
    }
  }

  /** Registers the response to a request whose head has arrived; returns how many are unfinished on its connection. */
  requestBegun(response: ServerResponse): number {
    const { req: request } = response;
    const place = this.#connections.get(request.socket);
    if (!place) return 1;
    const connection = place.value;
    connection.unfinished.push(response);
    if (connection.unfinished.length === 1) {
      const { addressOf } = this.options;
      if (addressOf) this.#regroup(connection, clientNetworks(addressOf(request)));
      connection.group.busy.pushNode(place);
      connection.since = Date.now();
    }
    return connection.unfinished.length;
  }

  /** Whether a response that comes before this one says that it ends the connection. */
  isClosedBefore(response: ServerResponse): boolean {
    const unfinished = this.#connections.get(response.req.socket)?.value.unfinished ?? [];
    return unfinished
      .slice(0, unfinished.indexOf(response))
      .some((earlier) => earlier.getHeader("Connection") === "close");
  }

  /** Registers that a response has been closed, finished or not. */
  requestEnded(response: ServerResponse): void {
    const place = this.#connections.get(response.req.socket);
    if (!place) return;
    const connection = place.value;
    const { unfinished } = connection;
    if (unfinished[0] === response) {
      // as nearly always, and faster than what follows
      unfinished.shift();
    } else {
      const index = unfinished.indexOf(response);
      if (index === -1) return;
      unfinished.splice(index, 1);
    }
    if (unfinished.length > 0) return;
    if (this.options.addressOf) this.#regroup(connection, connection.from);
    connection.group.idle.pushNode(place);
    connection.since = Date.now();
  }

  /** Of a connection with a request in flight the last whose head has arrived. */
  lastRequest(socket: Socket): IncomingMessage | undefined {
    return this.#connections.get(socket)?.value.unfinished.at(-1)?.req;
  }

  /** Whether a connection has a request in flight. */
  isBusy(socket: Socket): boolean {
    return (this.#connections.get(socket)?.value.unfinished.length ?? 0) > 0;
  }

  #closeLeastUseful(): void {
    const place = this.#groups.largest()?.leastUseful();
    if (!place) return;
    this.#remove(place);
    this.options.onClosed?.(place.value.group.networks);
    // after an orderly close the kernel would keep the unsent data in memory while sending it
    place.value.socket.resetAndDestroy();
  }

  #remove(place: Node<Connection>): void {
    if (!this.#connections.delete(place.value.socket)) return;
    place.list?.removeNode(place);
    this.#groups.leave(place.value.group);
  }

  #regroup(connection: Connection, networks: ClientNetworks): void {
    const { wide, narrow } = connection.group.networks;
    if (networks.narrow === narrow && networks.wide === wide) return;
    this.#groups.leave(connection.group);
    connection.group = this.#groups.enter(networks);
  }
}
