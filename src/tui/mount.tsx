import { render, useInput, useStdin } from 'ink';
import type { ReactNode } from 'react';
import { FrameSink } from './frame-sink.js';
import { openPainter } from './painter.js';
import { createRepaints } from './repaints.js';
import { WatchFrame } from './views/WatchFrame.js';
import { keysOf } from './watch-keys.js';
import type { WatchKey, WatchState } from './watch-types.js';

/** The terminal as the screen gets it. */
export interface ScreenIo {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  /** Whether colour is wanted. */
  readonly colour: { readonly stdout: boolean };
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

/** Begins to draw and to read keys. The first frame is on the terminal when this returns. */
export function mountScreen(
  io: ScreenIo,
  first: WatchState,
  onKeys: (keys: readonly WatchKey[]) => void,
): MountedScreen {
  const { stdin, stdout, colour } = io;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const painter = openPainter(stdout);
  // However the program ends, the terminal is given back; before a stack is printed, since it would be lost with the second screen.
  const restore = () => painter.close();
  process.once('exit', restore);
  process.once('uncaughtExceptionMonitor', restore);
  const frameOf = (state: WatchState, isLast = false): ReactNode => (
    <>
      <Keys onKeys={onKeys} />
      <WatchFrame state={state} size={size()} isColoured={colour.stdout} isLast={isLast} />
    </>
  );
  let latest = first;
  // ink makes frames and reads keys; with `debug` it hands out whole frames and leaves the terminal to the painter.
  const sink = new FrameSink(size().columns, painter.paint);
  const instance = render(frameOf(first), {
    stdin,
    // ink asks only for what a writable stream with a width has.
    stdout: sink as unknown as NodeJS.WriteStream,
    debug: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const repaints = createRepaints((state: WatchState) => instance.rerender(frameOf(state)));
  const redraw = (): void => {
    sink.columns = size().columns;
    painter.forget();
    repaints.ask(latest, true);
  };
  stdout.on('resize', redraw);
  process.on('SIGCONT', redraw);
  return {
    draw: (state, isUrgent) => {
      latest = state;
      repaints.ask(state, isUrgent);
    },
    close: (last) => {
      stdout.off('resize', redraw);
      process.off('SIGCONT', redraw);
      repaints.stop();
      let text = '';
      if (last !== null) {
        sink.takes = (frame) => {
          text = frame;
        };
        instance.rerender(frameOf(last, true));
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
function Keys(props: { readonly onKeys: (keys: readonly WatchKey[]) => void }): ReactNode {
  const { isRawModeSupported } = useStdin();
  useInput((input, key) => props.onKeys(keysOf(input, key)), { isActive: isRawModeSupported });
  return null;
}
