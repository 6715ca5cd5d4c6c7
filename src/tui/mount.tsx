import { Writable } from 'node:stream';
import { render, useInput, useStdin } from 'ink';
import type { ReactNode } from 'react';
import { openSuspension } from '../shared/util/suspension.js';
import { type Frame, frameOf, hasSameLayout, withTable } from './frame.js';
import { createRepaintScheduler, openPainter } from './painter.js';
import { ErrorBoundary, WatchFrame } from './WatchFrame.js';
import { keysOf } from './watch-keys.js';
import type { WatchKey, WatchState } from './watch-types.js';

/** The terminal of the screen. */
export interface ScreenIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Whether colours are allowed. */
  readonly colour: { readonly stdout: boolean };
  /** Converts symbols to ones that the locale can show. */
  toTerminalSymbols(text: string): string;
  /** Writes information to stderr, unless the command is quiet. */
  writeInfo(text: string): void;
}

/** A screen on the terminal. */
export interface MountedScreen {
  /** Draws a state, immediately if urgent. Unchanged rows are not written. */
  draw(state: WatchState, isUrgent?: boolean): void;
  /** Restores the terminal and leaves the last frame below its earlier content, if there is one. */
  close(last: WatchState | null): void;
}

/** Callbacks of a screen. */
export interface ScreenListeners {
  readonly onKeys: (keys: readonly WatchKey[]) => void;
  /** A frame could not be created. Nothing more is drawn, and no keys are read. */
  readonly onError: (error: unknown) => void;
}

/** Starts to draw and to read keys. The first frame is on the terminal when this returns. */
export function mountScreen(
  io: ScreenIo,
  first: WatchState,
  { onKeys, onError }: ScreenListeners,
): MountedScreen {
  const { stdin, stdout, colour } = io;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const painter = openPainter({ write: (text) => stdout.write(io.toTerminalSymbols(text)) });
  // Restore the terminal however the process ends, and before a stack is printed, which the alternate screen would
  // hide.
  const restore = () => painter.close();
  process.once('exit', restore);
  process.once('uncaughtExceptionMonitor', restore);
  const nodeOf = (frame: Frame): ReactNode => (
    <ErrorBoundary onError={onError}>
      <Keys onKeys={onKeys} onSuspend={() => suspension.suspend()} />
      <WatchFrame {...frame} />
    </ErrorBoundary>
  );
  const buildFrame = (state: WatchState, isLast = false): Frame =>
    frameOf(state, { size: size(), isColoured: colour.stdout, isLast });
  let latest = first;
  let frame = buildFrame(first);
  let layout = '';
  // ink creates frames and reads keys. With `debug` it writes whole frames to the sink and leaves the terminal to the
  // painter.
  const sink = new FrameSink(size().columns, (text) => {
    layout = text;
    painter.paint(withTable(layout, frame));
  });
  const instance = render(nodeOf(frame), {
    stdin,
    // ink uses only the methods of a writable stream and its width.
    stdout: sink as unknown as NodeJS.WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const show = (state: WatchState, isLast = false): void => {
    try {
      const before = frame;
      frame = buildFrame(state, isLast);
      if (hasSameLayout(before, frame)) painter.paint(withTable(layout, frame));
      else instance.rerender(nodeOf(frame));
    } catch (error) {
      onError(error);
    }
  };
  const scheduler = createRepaintScheduler((state: WatchState) => show(state));
  const redraw = (): void => {
    sink.columns = size().columns;
    painter.invalidate();
    scheduler.requestFrame(latest, true);
  };
  stdout.on('resize', redraw);
  const suspension = openSuspension({
    release: () => {
      painter.release();
      stdin.setRawMode(false);
    },
    reacquire: () => {
      // The shell may have changed the terminal mode. Node.js assumes that raw mode is still set, so toggle it.
      stdin.setRawMode(false);
      stdin.setRawMode(true);
      painter.reacquire();
      // A resize while another program had the terminal was not signalled to this process.
      process.emit('SIGWINCH', 'SIGWINCH');
      redraw();
    },
  });
  return {
    draw: (state, isUrgent) => {
      latest = state;
      scheduler.requestFrame(state, isUrgent);
    },
    close: (last) => {
      stdout.off('resize', redraw);
      suspension.dispose();
      scheduler.stop();
      let text = '';
      if (last !== null) {
        sink.onFrame = (lastLayout) => {
          text = withTable(lastLayout, frame).join('\n');
        };
        show(last, true);
      }
      sink.onFrame = () => {};
      instance.unmount();
      painter.close(text === '' ? '' : `${text.trimEnd()}\n`);
      process.off('exit', restore);
      process.off('uncaughtExceptionMonitor', restore);
    },
  };
}

/** Reads keys if stdin is a terminal. */
function Keys(props: {
  readonly onKeys: (keys: readonly WatchKey[]) => void;
  readonly onSuspend: () => void;
}): ReactNode {
  const { isRawModeSupported } = useStdin();
  useInput(
    (input, key) => (key.ctrl && input === 'z' ? props.onSuspend() : props.onKeys(keysOf(input, key))),
    // ink returns the property of the stream, which is undefined if it is not a terminal.
    { isActive: Boolean(isRawModeSupported) },
  );
  return null;
}

/** The stream that ink writes to instead of the terminal; passes each frame to a callback. */
class FrameSink extends Writable {
  /** Cells in a row. */
  columns: number;
  /** Called with each frame. */
  onFrame: (frame: string) => void;

  constructor(columns: number, onFrame: (frame: string) => void) {
    super({ decodeStrings: false });
    this.columns = columns;
    this.onFrame = onFrame;
  }

  override _write(frame: unknown, _encoding: BufferEncoding, done: () => void): void {
    const text = String(frame);
    // ink writes an empty string to detect when its earlier writes are flushed.
    if (text !== '') this.onFrame(text);
    done();
  }
}
