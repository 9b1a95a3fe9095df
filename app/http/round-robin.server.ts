import type { ClientNetworks } from "./client-network.server";
import { SizeRanking } from "./size-ranking.server";

/** Clients without an address, such as requests in tests, count as one network. */
const NO_ADDRESS: ClientNetworks = { narrow: "", wide: "" };

/**
 * Queues clients' items fairly: round-robin between wide networks, within each round-robin between its narrow
 * networks, and within those first in, first out. The cost of an operation does not depend on the number of
 * items.
 */
export class RoundRobin<Item> {
  readonly #items = new RoundRobinGroups<Item>(
    () => new RoundRobinGroups<Item>(() => new Fifo<Item>()),
  );

  get size(): number {
    return this.#items.size;
  }

  add({ wide, narrow } = NO_ADDRESS, item: Item): void {
    this.#items.add([wide, narrow], item);
  }

  /** Removes and returns the next item; undefined when there is none. */
  takeNext(): Item | undefined {
    return this.#items.takeNext();
  }

  /**
   * Whether it is fair to evict an item of the largest network for one more of this network: when this
   * network would still hold fewer. Within the largest wide network, its narrow networks are compared.
   */
  mayEvictFor({ wide, narrow } = NO_ADDRESS): boolean {
    return this.#items.mayEvictFor([wide, narrow]);
  }

  /**
   * Removes and returns the item to evict: the newest of the largest narrow network of the largest wide one.
   */
  evictFor({ wide, narrow } = NO_ADDRESS): Item | undefined {
    return this.#items.evictFor([wide, narrow]);
  }
}

/** The items of a network on some tier; `path` names the groups below this one. */
type Group<Item> = {
  readonly size: number;
  add(path: readonly string[], item: Item): void;
  takeNext(): Item | undefined;
  mayEvictFor(path: readonly string[]): boolean;
  evictFor(path: readonly string[]): Item | undefined;
};

/** Groups served in turn; empty ones are removed. */
class RoundRobinGroups<Item> implements Group<Item> {
  /** In the order of their turns: a Map iterates in insertion order. */
  readonly #groups = new Map<string, Group<Item>>();
  readonly #bySize = new SizeRanking<string>();
  #size = 0;

  constructor(private readonly newGroup: () => Group<Item>) {}

  get size(): number {
    return this.#size;
  }

  add([key = "", ...path]: readonly string[], item: Item): void {
    const group = this.#groups.get(key) ?? this.newGroup();
    if (group.size === 0) this.#groups.set(key, group);
    group.add(path, item);
    this.#resized(key, group, 1);
  }

  takeNext(): Item | undefined {
    const [next] = this.#groups;
    if (!next) return undefined;
    const [key, group] = next;
    const item = group.takeNext();
    this.#groups.delete(key);
    if (group.size > 0) this.#groups.set(key, group);
    this.#resized(key, group, -1);
    return item;
  }

  mayEvictFor([key = "", ...path]: readonly string[]): boolean {
    const own = this.#groups.get(key);
    if (own && key === this.#largestFor(key)) return own.mayEvictFor(path);
    return (own?.size ?? 0) + 1 < this.#bySize.largestSize;
  }

  evictFor([key = "", ...path]: readonly string[]): Item | undefined {
    const largest = this.#largestFor(key);
    const group = largest === undefined ? undefined : this.#groups.get(largest);
    if (largest === undefined || !group) return undefined;
    const item = group.evictFor(path);
    if (group.size === 0) this.#groups.delete(largest);
    this.#resized(largest, group, -1);
    return item;
  }

  /**
   * Among several largest groups the caller's own, so that its items compete with each other before those of
   * other networks.
   */
  #largestFor(key: string): string | undefined {
    const own = this.#groups.get(key);
    return own?.size === this.#bySize.largestSize ? key : this.#bySize.largest();
  }

  #resized(key: string, group: Group<Item>, by: 1 | -1): void {
    this.#size += by;
    this.#bySize.move(key, group.size - by, group.size);
  }
}

/** The items of one narrow network, first in, first out. */
class Fifo<Item> implements Group<Item> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(_path: readonly string[], item: Item): void {
    this.#items.push(item);
  }

  takeNext(): Item | undefined {
    return this.#items.shift();
  }

  mayEvictFor(): boolean {
    return false;
  }

  evictFor(): Item | undefined {
    return this.#items.pop();
  }
}
