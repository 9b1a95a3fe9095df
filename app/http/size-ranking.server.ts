/**
 * Knows which of many groups is the largest while they grow and shrink by one. Every operation takes
 * constant time. Of groups of one size, the one that has had it longest comes first.
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

  /** Notes that a group has grown or shrunk by one; 0 is the size of what is not there. */
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
