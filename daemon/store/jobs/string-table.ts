/**
 * Numbers texts that many jobs have in common, such as the ids of accounts, so that a job stores a number. A text is
 * never removed: an account, a day or a grouping whose jobs are gone may still have usage.
 */
export class StringTable {
  readonly #texts: string[] = [];
  readonly #numbers = new Map<string, number>();

  constructor(texts: readonly string[] = []) {
    for (const text of texts) this.numberOf(text);
  }

  /** The number of texts. */
  get size(): number {
    return this.#texts.length;
  }

  /** The number of a text, which is added if it is new. */
  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  /** The text with a number. */
  textOf(number: number): string {
    const text = this.#texts[number];
    if (text === undefined) throw new RangeError(`There is no text ${number}.`);
    return text;
  }

  /** All texts, by number. */
  all(): readonly string[] {
    return this.#texts;
  }
}
