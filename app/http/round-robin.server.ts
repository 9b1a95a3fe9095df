import type { ClientNetworks } from "./client-network.server";
import { SizeRanking } from "./size-ranking.server";

/** Clients without an address, such as a test's requests, count as one network. */
const NOWHERE: ClientNetworks = { narrow: "", wide: "" };

/**
 * Items of clients in the order in which it is fair to take them: from the wide networks in turn, within
 * one from its narrow networks in turn, within one first come, first served. No operation takes longer for
 * more items.
 */
export class RoundRobin<Item> {
  readonly #items = new Turns<Item>(() => new Turns<Item>(() => new Line<Item>()));

  get size(): number {
    return this.#items.size;
  }

  add({ wide, narrow } = NOWHERE, item: Item): void {
    this.#items.add([wide, narrow], item);
  }

  /** Takes out the item whose turn it is; undefined when there is none. */
  takeNext(): Item | undefined {
    return this.#items.takeNext();
  }

  /**
   * Whether it is fair that an item of the largest network makes way for one more of this network: when
   * this network holds fewer even then. Within the largest wide network its narrow ones are compared.
   */
  mayReplace({ wide, narrow } = NOWHERE): boolean {
    return this.#items.mayReplace([wide, narrow]);
  }

  /** Takes out the item that makes way then: the newest of the largest narrow network of the largest wide one. */
  takeReplaced({ wide, narrow } = NOWHERE): Item | undefined {
    return this.#items.takeReplaced([wide, narrow]);
  }
}

/** Items that belong together, on some tier of networks; `path` names the groups below this one. */
type Group<Item> = {
  readonly size: number;
  add(path: readonly string[], item: Item): void;
  takeNext(): Item | undefined;
  mayReplace(path: readonly string[]): boolean;
  takeReplaced(path: readonly string[]): Item | undefined;
};

/** Groups that are taken from in turn; one that is empty is forgotten. */
class Turns<Item> implements Group<Item> {
  /** In the order of their turns, since a Map keeps the order in which its entries were put in. */
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

  mayReplace([key = "", ...path]: readonly string[]): boolean {
    const own = this.#groups.get(key);
    if (own && key === this.#largestFor(key)) return own.mayReplace(path);
    return (own?.size ?? 0) + 1 < this.#bySize.largestSize;
  }

  takeReplaced([key = "", ...path]: readonly string[]): Item | undefined {
    const largest = this.#largestFor(key);
    const group = largest === undefined ? undefined : this.#groups.get(largest);
    if (largest === undefined || !group) return undefined;
    const item = group.takeReplaced(path);
    if (group.size === 0) this.#groups.delete(largest);
    this.#resized(largest, group, -1);
    return item;
  }

  /** Of several largest groups one's own, so that neighbours are compared and strangers left alone. */
  #largestFor(key: string): string | undefined {
    const own = this.#groups.get(key);
    return own?.size === this.#bySize.largestSize ? key : this.#bySize.largest();
  }

  #resized(key: string, group: Group<Item>, by: 1 | -1): void {
    this.#size += by;
    this.#bySize.move(key, group.size - by, group.size);
  }
}

/** What one narrow network has, first come, first served. */
class Line<Item> implements Group<Item> {
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

  mayReplace(): boolean {
    return false;
  }

  takeReplaced(): Item | undefined {
    return this.#items.pop();
  }
}
