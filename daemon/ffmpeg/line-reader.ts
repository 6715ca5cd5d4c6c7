/** Longer lines of ffprobe are no packets; only their end is kept. */
const maxLineCharacters = 4096;

/** Splits text that arrives in chunks into lines. A line without an end does not grow without limit. */
export class LineReader {
  #rest = '';

  constructor(private readonly onLine: (line: string) => void) {}

  /** Adds a chunk, which may begin and end anywhere. */
  add(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() ?? '').slice(-maxLineCharacters);
    for (const line of lines) this.onLine(line);
  }
}
