import { Writable } from 'node:stream';
import { render } from 'ink';
import { frameOf, withTable } from '../../src/tui/frame.js';
import type { FrameSize } from '../../src/tui/frame-plan.js';
import { WatchFrame } from '../../src/tui/WatchFrame.js';
import type { WatchState } from '../../src/tui/watch-types.js';

/** Captures the output of ink as a terminal of the given width would receive it. */
class FakeTerminal extends Writable {
  readonly frames: string[] = [];

  constructor(
    readonly columns: number,
    readonly rows: number,
  ) {
    super({ decodeStrings: false });
  }

  override _write(chunk: string, _encoding: BufferEncoding, done: () => void): void {
    this.frames.push(String(chunk));
    done();
  }
}

/** The frame of a state as text without colours, one line per row. */
export function renderText(state: WatchState, size: FrameSize): string {
  const terminal = new FakeTerminal(size.columns, size.rows);
  const frame = frameOf(state, { size, isColoured: false });
  const instance = render(<WatchFrame {...frame} />, {
    // ink needs only a writable stream with a width.
    stdout: terminal as unknown as NodeJS.WriteStream,
    debug: true,
    patchConsole: false,
    exitOnCtrlC: false,
  });
  const laidOut = terminal.frames.at(-1) ?? '';
  instance.unmount();
  instance.cleanup();
  return `${withTable(laidOut, frame)
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}
