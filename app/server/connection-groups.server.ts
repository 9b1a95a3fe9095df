import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { type Node, Yallist } from "yallist";
import type { ClientNetworks } from "~/http/client-network.server";
import { SizeRanking } from "~/http/size-ranking.server";

/** A connection and what it is doing. */
export type Connection = {
  readonly socket: Socket;
  /** The networks of the connected peer. */
  readonly from: ClientNetworks;
  /** The group it currently counts towards. */
  group: NarrowGroup;
  /** Responses to its requests that are not finished, in the order of the requests; with none it is idle. */
  readonly unfinished: ServerResponse[];
  /** When it became idle or busy, in milliseconds since the epoch. */
  since: number;
};

/** How long a connection may be idle, and a request unanswered, before it counts as slow, in milliseconds. */
const SLOW_MS = 1_000;

/** The connections of one narrow network. */
export class NarrowGroup {
  /** Connections without a request in flight, the longest idle first. */
  readonly idle = new Yallist<Connection>();
  /** Connections with one, the longest in flight first. */
  readonly busy = new Yallist<Connection>();
  size = 0;

  constructor(
    readonly networks: ClientNetworks,
    readonly wide: WideGroup,
  ) {}

  /**
   * The connection to close first: the longest idle one, since most idle connections are kept alive for a
   * request that may never come, or have begun one that is never finished; then the one with the longest
   * running request, which is the slowest because bodies and responses are small. A slow request is closed
   * before a connection that has only just become idle, or a flood of slow requests would keep anyone else in
   * the same network from sending one.
   */
  leastUseful(): Node<Connection> | undefined {
    const idle = this.idle.head;
    const busy = this.busy.head;
    if (!idle || !busy) return idle ?? busy;
    const slowSince = Date.now() - SLOW_MS;
    return busy.value.since <= slowSince && idle.value.since > slowSince ? busy : idle;
  }
}

/** The narrow networks of one wide network. */
class WideGroup {
  readonly narrow = new Map<string, NarrowGroup>();
  readonly bySize = new SizeRanking<NarrowGroup>();
  size = 0;
}

/** Connections by both tiers of networks. Every operation takes constant time. */
export class ConnectionGroups {
  readonly #wide = new Map<string, WideGroup>();
  readonly #bySize = new SizeRanking<WideGroup>();

  /** Adds a connection to the group of its network and returns the group. */
  enter(networks: ClientNetworks): NarrowGroup {
    const wide = this.#wide.get(networks.wide) ?? new WideGroup();
    const narrow = wide.narrow.get(networks.narrow) ?? new NarrowGroup(networks, wide);
    this.#wide.set(networks.wide, wide);
    wide.narrow.set(networks.narrow, narrow);
    this.#resize(narrow, 1);
    return narrow;
  }

  /** Removes a connection from its group, and the group once it is empty. */
  leave(narrow: NarrowGroup): void {
    const { networks, wide } = narrow;
    this.#resize(narrow, -1);
    if (narrow.size === 0) wide.narrow.delete(networks.narrow);
    if (wide.size === 0) this.#wide.delete(networks.wide);
  }

  /** The largest narrow network of the largest wide one. */
  largest(): NarrowGroup | undefined {
    return this.#bySize.largest()?.bySize.largest();
  }

  #resize(narrow: NarrowGroup, by: 1 | -1): void {
    const { wide } = narrow;
    narrow.size += by;
    wide.size += by;
    wide.bySize.move(narrow, narrow.size - by, narrow.size);
    this.#bySize.move(wide, wide.size - by, wide.size);
  }
}
