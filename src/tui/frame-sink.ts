import { Writable } from 'node:stream';

/** Stands where ink expects a terminal, and hands on the frames that ink writes. */
export class FrameSink extends Writable {
  /** Cells in a row. */
  columns: number;
  /** Takes the frames. */
  onFrame: (frame: string) => void;

  constructor(columns: number, onFrame: (frame: string) => void) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.onFrame = onFrame;
  }

  override _write(frame: unknown, _encoding: BufferEncoding, done: () => void): void {
    const text = String(frame);
    // ink writes nothing at all to learn whether its writes are through.
    if (text !== '') this.onFrame(text);
    done();
  }
}
