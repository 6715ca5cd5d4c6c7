import { Writable } from 'node:stream';
import { render, useInput, useStdin } from 'ink';
import type { ReactNode } from 'react';
import { type Frame, frameOf, hasSameLayout, withTable } from './frame.js';
import { openPainter } from './painter.js';
import { createRepaintScheduler } from './repaint-scheduler.js';
import { openSuspension } from './suspension.js';
import { ErrorBoundary, WatchFrame } from './WatchFrame.js';
import { keysOf } from './watch-keys.js';
import type { WatchKey, WatchState } from './watch-types.js';

/** The terminal as the screen gets it. */
export interface ScreenIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Whether colour is wanted. */
  readonly colour: { readonly stdout: boolean };
  /** A text with our own marks as the locale can show them. */
  toTerminalSymbols(text: string): string;
  /** Writes a message. */
  writeStderr(text: string): void;
}

/** A screen that is being drawn. */
export interface MountedScreen {
  /** Draws a state, at once where a person waits for it; what did not change on the terminal is not written again. */
  draw(state: WatchState, isUrgent?: boolean): void;
  /** Gives the terminal back as it was found; the last frame is left below, where one is wanted. */
  close(last: WatchState | null): void;
}

/** Who is told of what happens at the screen. */
export interface ScreenListeners {
  readonly onKeys: (keys: readonly WatchKey[]) => void;
  /** A frame could not be made: nothing more will be drawn, and no key be read. */
  readonly onError: (error: unknown) => void;
}

/** Begins to draw and to read keys. The first frame is on the terminal when this returns. */
export function mountScreen(
  io: ScreenIo,
  first: WatchState,
  { onKeys, onError }: ScreenListeners,
): MountedScreen {
  const { stdin, stdout, colour } = io;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const painter = openPainter({ write: (text) => stdout.write(io.toTerminalSymbols(text)) });
  // However the program ends, the terminal is given back; before a stack is printed, since it would be lost with the second screen.
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
  // ink makes frames and reads keys; with `debug` it hands out whole frames and leaves the terminal to the painter.
  const sink = new FrameSink(size().columns, (text) => {
    layout = text;
    painter.paint(withTable(layout, frame));
  });
  const instance = render(nodeOf(frame), {
    stdin,
    // ink asks only for what a writable stream with a width has.
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
      // The shell has set the terminal's mode as well: ours is set again, though Node takes it for set.
      stdin.setRawMode(false);
      stdin.setRawMode(true);
      painter.reacquire();
      // While another program had the terminal, that one was told of its size.
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

/** Reads keys, where they come from a keyboard. */
function Keys(props: {
  readonly onKeys: (keys: readonly WatchKey[]) => void;
  readonly onSuspend: () => void;
}): ReactNode {
  const { isRawModeSupported } = useStdin();
  useInput(
    (input, key) => (key.ctrl && input === 'z' ? props.onSuspend() : props.onKeys(keysOf(input, key))),
    // ink hands on what the stream says of itself, and one that is no terminal says nothing.
    { isActive: Boolean(isRawModeSupported) },
  );
  return null;
}

/** The stream that ink writes to in place of a terminal; passes each frame to a callback. */
class FrameSink extends Writable {
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
    // ink writes an empty string to learn when its earlier writes are flushed.
    if (text !== '') this.onFrame(text);
    done();
  }
}
