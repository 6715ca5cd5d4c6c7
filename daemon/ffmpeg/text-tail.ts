/** The end of a text that may be endless, such as what ffmpeg says about a damaged file. */
export class TextTail {
  #text = '';

  constructor(private readonly limit: number) {}

  /** Adds to the text and drops what is too far from its end. */
  add(chunk: string): void {
    this.#text = (this.#text + chunk).slice(-this.limit);
  }

  get text(): string {
    return this.#text;
  }
}
