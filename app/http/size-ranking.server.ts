/**
 * Tracks the largest of many groups that grow and shrink by one. Every operation takes constant time. Among
 * groups of equal size, the one that reached that size first ranks first.
 */
export class SizeRanking<Key> {
  /** The groups of each size, by the size. */
  readonly #groups: Set<Key>[] = [];

  get largestSize(): number {
    return Math.max(0, this.#groups.length - 1);
  }

  largest(): Key | undefined {
    return this.#groups.at(-1)?.values().next().value;
  }

  /** Registers that a group has grown or shrunk by one; an absent group has size 0. */
  move(key: Key, from: number, to: number): void {
    this.#groups[from]?.delete(key);
    if (to > 0) this.#ofSize(to).add(key);
    while (this.#groups.at(-1)?.size === 0) this.#groups.pop();
  }

  #ofSize(size: number): Set<Key> {
    // an array without holes stays fast
    while (this.#groups.length <= size) this.#groups.push(new Set());
    return this.#groups[size] as Set<Key>;
  }
}
