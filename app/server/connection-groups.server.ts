import type { Socket } from "node:net";
import type { ClientNetworks } from "~/http/client-network.server";
import { SizeRanking } from "~/http/size-ranking.server";

/** A connection and what it is doing. */
export type Connection = {
  readonly socket: Socket;
  /** The networks of the one who is connected. */
  readonly from: ClientNetworks;
  /** Whose it counts as at present. */
  group: NarrowGroup;
  /** Requests it has sent that have no answer yet; with none it waits for one. */
  unanswered: number;
  /** Since when it has been waiting or busy, in milliseconds. */
  since: number;
};

/**
 * How long a connection gets for its request, and a request for its answer, before it looks slow, in
 * milliseconds.
 */
const SLOW_MS = 1_000;

/** The connections of one narrow network. */
export class NarrowGroup {
  /** Those that have no request under way, whoever waits longest first. */
  readonly waiting = new Set<Connection>();
  /** Those that have one, the longest first. */
  readonly busy = new Set<Connection>();
  size = 0;

  constructor(
    readonly networks: ClientNetworks,
    readonly wide: WideGroup,
  ) {}

  /**
   * The one that is missed least: who has waited longest for a request to come, since most of these are
   * kept for a next one that may never come, or are begun and never finished; then whose request has been
   * under way longest, which is the slowest because bodies and answers are small. A slow request goes
   * before a new connection, or a crowd of them would let no neighbour ask anything.
   */
  leastUseful(): Connection | undefined {
    const [waiting] = this.waiting;
    const [busy] = this.busy;
    if (!waiting || !busy) return waiting ?? busy;
    const slowSince = Date.now() - SLOW_MS;
    return busy.since <= slowSince && waiting.since > slowSince ? busy : waiting;
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

  /** The group of a network, with one connection more. */
  enter(networks: ClientNetworks): NarrowGroup {
    const wide = this.#wide.get(networks.wide) ?? new WideGroup();
    const narrow = wide.narrow.get(networks.narrow) ?? new NarrowGroup(networks, wide);
    this.#wide.set(networks.wide, wide);
    wide.narrow.set(networks.narrow, narrow);
    this.#resize(narrow, 1);
    return narrow;
  }

  /** Takes one connection from a group, and forgets the group with its last. */
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
