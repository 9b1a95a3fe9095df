import type { ClientNetworks } from "./client-network.server";

/** A body being received, and the memory it takes. */
type Body = { network: ClientNetworks; bytes: number; drop: () => void };

/** A handle by which a body reports its memory while it is received. */
export type ReceivedBody = {
  /** Sets its current size in bytes; may drop this or another body. */
  resize(bytes: number): void;
  end(): void;
};

/**
 * Limits the total memory of bodies being received, which many slow senders could otherwise exhaust. Above
 * the limit, the largest body of the network that takes the most is dropped, comparing wide networks first
 * and the narrow ones within them second, so that other networks' forms are not rejected for one network's
 * flood.
 */
export class ReceivingMemory {
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  constructor(private readonly limit: number) {}

  /** Registers a body; `drop` is called at most once, when the body is evicted. */
  begin(network: ClientNetworks, drop: () => void): ReceivedBody {
    const body: Body = { network, bytes: 0, drop };
    this.#bodies.add(body);
    return {
      resize: (bytes) => {
        if (!this.#bodies.has(body)) return;
        this.#bytes += bytes - body.bytes;
        body.bytes = bytes;
        if (this.#bytes > this.limit) this.#dropLargest(body);
      },
      end: () => this.#end(body),
    };
  }

  #end(body: Body): void {
    if (this.#bodies.delete(body)) this.#bytes -= body.bytes;
  }

  /** Linear in the number of bodies, but each call drops one, which had to be sent first. */
  #dropLargest(newest: Body): void {
    const ofWide = ofLargestNetwork([...this.#bodies], "wide");
    const ofNarrow = ofLargestNetwork(ofWide, "narrow");
    const most = Math.max(...ofNarrow.map(({ bytes }) => bytes));
    // among equals the newest, which has waited least
    const dropped =
      ofNarrow.includes(newest) && newest.bytes === most
        ? newest
        : ofNarrow.find(({ bytes }) => bytes === most);
    if (!dropped) return;
    this.#end(dropped);
    dropped.drop();
  }
}

/** The bodies of the network that takes the most memory in a tier. */
function ofLargestNetwork(bodies: Body[], tier: keyof ClientNetworks): Body[] {
  const byNetwork = new Map<string, number>();
  for (const { network, bytes } of bodies) {
    byNetwork.set(network[tier], (byNetwork.get(network[tier]) ?? 0) + bytes);
  }
  const [largest] = [...byNetwork].reduce((most, one) => (one[1] > most[1] ? one : most));
  return bodies.filter(({ network }) => network[tier] === largest);
}
