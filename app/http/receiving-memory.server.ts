import type { ClientNetworks } from "./client-network.server";

/** A body that is being received, and what it takes of the memory. */
type Body = { network: ClientNetworks; bytes: number; drop: () => void };

/** What a body says of itself while it comes in. */
export type ReceivedBody = {
  /** Notes what it takes now, in bytes; may drop this or another body. */
  resize(bytes: number): void;
  end(): void;
};

/**
 * Bounds the memory of bodies that are being received, of all requests together: what a crowd of slow
 * senders may occupy. Beyond it the largest body of the network that takes most is dropped, by wide networks
 * first and by narrow ones within, so that nobody else's form is refused for a crowd.
 */
export class ReceivingMemory {
  readonly #bodies = new Set<Body>();
  #bytes = 0;

  constructor(private readonly limit: number) {}

  /** Takes in a body that has begun; `drop` is called once at most, when it has to be given up. */
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

  /** Each time it looks at all bodies it ends one, which had to be sent first. */
  #dropLargest(newest: Body): void {
    const ofWide = ofLargestNetwork([...this.#bodies], "wide");
    const ofNarrow = ofLargestNetwork(ofWide, "narrow");
    const most = Math.max(...ofNarrow.map(({ bytes }) => bytes));
    // of equals the newest, which has waited least
    const dropped =
      ofNarrow.includes(newest) && newest.bytes === most
        ? newest
        : ofNarrow.find(({ bytes }) => bytes === most);
    if (!dropped) return;
    this.#end(dropped);
    dropped.drop();
  }
}

/** The bodies of the network that takes most on a tier. */
function ofLargestNetwork(bodies: Body[], tier: keyof ClientNetworks): Body[] {
  const byNetwork = new Map<string, number>();
  for (const { network, bytes } of bodies) {
    byNetwork.set(network[tier], (byNetwork.get(network[tier]) ?? 0) + bytes);
  }
  const [largest] = [...byNetwork].reduce((most, one) => (one[1] > most[1] ? one : most));
  return bodies.filter(({ network }) => network[tier] === largest);
}
