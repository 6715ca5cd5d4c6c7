import { Writable } from 'node:stream';

/** Stands where ink expects a terminal, and hands on the frames that ink writes. */
export class FrameSink extends Writable {
  /** Cells in a row. */
  columns: number;
  /** Takes the frames. */
  takes: (frame: string) => void;

  constructor(columns: number, takes: (frame: string) => void) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.takes = takes;
  }

  override _write(frame: unknown, _encoding: BufferEncoding, done: () => void): void {
    const text = String(frame);
    // ink writes nothing at all to learn whether its writes are through.
    if (text !== '') this.takes(text);
    done();
  }
}
