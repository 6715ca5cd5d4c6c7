import { render, useInput, useStdin } from 'ink';
import type { ReactNode } from 'react';
import { type Frame, frameOf, isLaidOutAlike, withTable } from './frame.js';
import { FrameSink } from './frame-sink.js';
import { openPainter } from './painter.js';
import { createRepaints } from './repaints.js';
import { openSuspension } from './suspension.js';
import { Guard } from './views/ErrorBoundary.js';
import { WatchFrame } from './views/WatchFrame.js';
import { keysOf } from './watch-keys.js';
import type { WatchKey, WatchState } from './watch-types.js';

/** The terminal as the screen gets it. */
export interface ScreenIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Whether colour is wanted. */
  readonly colour: { readonly stdout: boolean };
  /** A text with our own marks as the locale can show them. */
  inMarks(text: string): string;
  /** Writes a remark. */
  note(text: string): void;
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
  readonly onFault: (error: unknown) => void;
}

/** Begins to draw and to read keys. The first frame is on the terminal when this returns. */
export function mountScreen(
  io: ScreenIo,
  first: WatchState,
  { onKeys, onFault }: ScreenListeners,
): MountedScreen {
  const { stdin, stdout, colour } = io;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const painter = openPainter({ write: (text) => stdout.write(io.inMarks(text)) });
  // However the program ends, the terminal is given back; before a stack is printed, since it would be lost with the second screen.
  const restore = () => painter.close();
  process.once('exit', restore);
  process.once('uncaughtExceptionMonitor', restore);
  const nodeOf = (frame: Frame): ReactNode => (
    <Guard onFault={onFault}>
      <Keys onKeys={onKeys} onSuspend={() => suspension.suspend()} />
      <WatchFrame {...frame} />
    </Guard>
  );
  const made = (state: WatchState, isLast = false): Frame =>
    frameOf(state, { size: size(), isColoured: colour.stdout, isLast });
  let latest = first;
  let frame = made(first);
  let laidOut = '';
  // ink makes frames and reads keys; with `debug` it hands out whole frames and leaves the terminal to the painter.
  const sink = new FrameSink(size().columns, (text) => {
    laidOut = text;
    painter.paint(withTable(laidOut, frame));
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
      frame = made(state, isLast);
      if (isLaidOutAlike(before, frame)) painter.paint(withTable(laidOut, frame));
      else instance.rerender(nodeOf(frame));
    } catch (error) {
      onFault(error);
    }
  };
  const repaints = createRepaints((state: WatchState) => show(state));
  const redraw = (): void => {
    sink.columns = size().columns;
    painter.forget();
    repaints.ask(latest, true);
  };
  stdout.on('resize', redraw);
  const suspension = openSuspension({
    lend: () => {
      painter.lend();
      stdin.setRawMode(false);
    },
    take: () => {
      // The shell has set the terminal's mode as well: ours is set anew, though Node takes it for set.
      stdin.setRawMode(false);
      stdin.setRawMode(true);
      painter.take();
      // While another program had the terminal, that one was told of its size.
      process.emit('SIGWINCH', 'SIGWINCH');
      redraw();
    },
  });
  return {
    draw: (state, isUrgent) => {
      latest = state;
      repaints.ask(state, isUrgent);
    },
    close: (last) => {
      stdout.off('resize', redraw);
      suspension.dispose();
      repaints.stop();
      let text = '';
      if (last !== null) {
        sink.takes = (lastLaidOut) => {
          text = withTable(lastLaidOut, frame).join('\n');
        };
        show(last, true);
      }
      sink.takes = () => {};
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
