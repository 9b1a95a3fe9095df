/** @type {import("../survivors.mjs").Explanation[]} */
export const explanations = [
  {
    file: "http/client-network.server.ts",
    line: "if (!networks) {",
    replacement: /^true$/,
    why: "equivalent: only how often an address is parsed",
  },
  {
    file: "http/page-slots.server.ts",
    line: "if (externalWaits === 1)",
    replacement: /^true$/,
    why: "equivalent: to release a slot again does nothing",
  },
  {
    file: "http/rate-limiter.server.ts",
    line: "if (wait > 0) return wait;",
    replacement: />=/,
    why: "equivalent: what is no longer rejected is forgotten when it is asked for again",
  },
  {
    file: "http/rate-limiter.server.ts",
    line: "oldest !== undefined",
    replacement: /^true$/,
    why: "equivalent: only for the types, since what is full has an oldest key",
  },
  {
    file: "http/rate-limiter.server.ts",
    line: "instanceof RateLimiterRes",
    replacement: /^false$/,
    why: "equivalent: only for the types, since counting in memory does not fail",
  },
  {
    file: "http/rate-limiter.server.ts",
    line: "attempt?.limiter",
    why: "equivalent: only for the types, since there are never more counts than attempts",
  },
  {
    file: "db/queries/rate-limits.ts",
    line: "const statements:",
    why: "equivalent: no statement counts for no keys",
  },
  {
    file: "http/rate-limits.server.ts",
    line: "if (rejected.isFirst)",
    replacement: /^true$/,
    why: "equivalent within one process, which does not count what it knows to be over the limit",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "if (this.options.addressOf) this.#regroup(",
    replacement: /^true$/,
    why: "equivalent: without a proxy the group is the connection's own already",
  },
  {
    file: "server/file-descriptors.server.ts",
    line: "readFileSync(",
    replacement: /^""$/,
    why: "equivalent: bytes are searched as the text that they are",
  },
  {
    file: "http/round-robin.server.ts",
    line: 'key = ""',
    why: "equivalent: a default that only satisfies the types",
  },
  {
    file: "http/round-robin.server.ts",
    line: "const NO_ADDRESS",
    why: "equivalent: any other name of that network will do",
  },
  {
    file: "http/round-robin.server.ts",
    line: "if (group.size === 0) this.#groups.set(",
    why: "equivalent: setting a key again keeps its place",
  },
  {
    file: "http/round-robin.server.ts",
    line: "largest === undefined",
    why: "equivalent: without a largest group there is no group either",
  },
  {
    file: "http/round-robin.server.ts",
    line: "mayEvictFor(): boolean {",
    why: "equivalent: undefined counts as false",
  },
  {
    file: "http/size-ranking.server.ts",
    line: "?.values().next()",
    why: "equivalent: the first group is never missing, since size 0 has its own",
  },
  {
    file: "http/size-ranking.server.ts",
    line: "if (to > 0)",
    why: "memory only: a group without items is not forgotten",
  },
  {
    file: "http/rate-limits.server.ts",
    line: "if (!limit) throw",
    why: "equivalent: the types name only limits that exist",
  },
  {
    file: "http/client-network.server.ts",
    line: 'address = "unknown"',
    why: "equivalent: any other name of the network of clients without an address will do",
  },
  {
    file: "http/client-network.server.ts",
    line: "cached.size >= MAX_CACHED",
    why: "equivalent: only how often an address is parsed, and how much memory that saves",
  },
  {
    file: "http/fair-queue.server.ts",
    line: 'name = "QueueFull"',
    why: "what an error is called in the log",
  },
  {
    file: "http/fair-queue.server.ts",
    line: "this.#running < this.#limits.concurrency ||",
    why: "equivalent: nothing waits while a slot is free",
  },
  {
    file: "http/fair-queue.server.ts",
    line: "evictFor(network)?.reject",
    why: "equivalent: a full queue has something to evict",
  },
  {
    file: "http/fair-scheduling.server.ts",
    line: "< MAX_ACCEPT_ITERATIONS",
    replacement: /<=/,
    why: "one iteration of the event loop more",
  },
  {
    file: "http/fair-scheduling.server.ts",
    line: "takeNext()?.()",
    why: "equivalent: it runs only while something waits",
  },
  {
    file: "http/receiving-memory.server.ts",
    line: "if (!this.#bodies.has(body)) return;",
    why: "equivalent: nobody gives a body back twice",
  },
  {
    file: "http/receiving-memory.server.ts",
    line: "if (!dropped) return;",
    why: "equivalent: too much memory is never held by nobody",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: 'remoteAddress ?? ""',
    why: "equivalent: any other name of the network of clients without an address will do",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "networks.narrow === narrow && networks.wide === wide",
    why: "equivalent: to leave a group and enter it again changes nothing; narrow networks are never in two wide ones",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "#groups.largest()?.leastUseful()",
    why: "equivalent: there is a connection, the newest",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "if (!place) return;",
    replacement: /^false$/,
    why: "equivalent: there is a connection, the newest",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: "place.list?.removeNode",
    why: "equivalent: only for the types, since an open connection is in one of the lists",
  },
  {
    file: "server/connection-limiter.server.ts",
    line: ".unfinished ?? []",
    replacement: /Stryker/,
    why: "equivalent: a response that is not among them comes after none",
  },
  {
    file: "server/connection-groups.server.ts",
    line: "this.#bySize.largest()?.bySize",
    why: "equivalent: it is asked only when there is a connection",
  },
  {
    file: "server/file-descriptors.server.ts",
    line: "Max open files",
    why: "equivalent: Linux writes the line once, at a line's start",
  },
  {
    file: "server/file-descriptors.server.ts",
    line: /\} catch \{|return "";/,
    why: "only where there is no /proc",
  },
  {
    file: "http/page-slots.server.ts",
    line: "slot = this.#acquire(network).catch(",
    replacement: /undefined/,
    why: "an unhandled rejection, by which Vitest fails, but not Stryker",
  },
];
