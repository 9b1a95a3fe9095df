/** Texts by name, of at most so many characters in all; those used longest ago make room. */
export class RecentTexts {
  // in the order of their last use, since a map keeps that of insertion
  readonly #texts = new Map<string, string>();
  readonly #maxCharacters: number;
  #characters = 0;

  constructor(maxCharacters: number) {
    this.#maxCharacters = maxCharacters;
  }

  get(name: string): string | undefined {
    const text = this.#texts.get(name);
    if (text === undefined) return undefined;
    this.#texts.delete(name);
    this.#texts.set(name, text);
    return text;
  }

  set(name: string, text: string): void {
    this.#remove(name);
    this.#texts.set(name, text);
    this.#characters += text.length;
    for (const oldest of this.#texts.keys()) {
      if (this.#characters <= this.#maxCharacters) return;
      this.#remove(oldest);
    }
  }

  #remove(name: string): void {
    this.#characters -= this.#texts.get(name)?.length ?? 0;
    this.#texts.delete(name);
  }
}
