/** What a {@link LineReader} holds of a line at most, unless another limit is given. In UTF-16 code units. */
const defaultMaxCharacters = 4096;

/**
 * Splits text that arrives in chunks into lines. Of a line longer than `maxCharacters`, only the end is kept, so that
 * a line without an end does not grow without limit.
 */
export class LineReader {
  #rest = '';

  constructor(
    private readonly onLine: (line: string) => void,
    private readonly maxCharacters = defaultMaxCharacters,
  ) {}

  /** Adds a chunk, which may begin and end anywhere. Returns whether the limit allows the line that it leaves open. */
  add(text: string): boolean {
    const lines = (this.#rest + text).split('\n');
    const rest = lines.pop() ?? '';
    this.#rest = rest.slice(-this.maxCharacters);
    for (const line of lines) this.onLine(line);
    return rest.length <= this.maxCharacters;
  }
}
