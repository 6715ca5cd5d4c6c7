import { render, useInput, useStdin } from 'ink';
import type { ReactNode } from 'react';
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
  /** Draws a state; what did not change on the terminal is not written again. */
  draw(state: WatchState): void;
  /** Takes the frame away. */
  clear(): void;
  /** Gives the terminal back as it was found. The last frame stays where it is. */
  close(): void;
}

/** Begins to draw and to read keys. The first frame is on the terminal when this returns. */
export function mountScreen(
  io: ScreenIo,
  first: WatchState,
  onKeys: (keys: readonly WatchKey[]) => void,
): MountedScreen {
  const { stdin, stdout, colour } = io;
  const frameOf = (state: WatchState): ReactNode => (
    <>
      <Keys onKeys={onKeys} />
      <WatchFrame
        state={state}
        size={{ columns: stdout.columns || 80, rows: stdout.rows || 24 }}
        isColoured={colour.stdout}
      />
    </>
  );
  let latest = first;
  // Not `incrementalRendering`: in ink 6.8 it goes up one line too few, and the first line of every frame stays behind.
  const instance = render(frameOf(first), {
    stdin,
    stdout: withoutHeight(stdout),
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const draw = (state: WatchState): void => {
    latest = state;
    instance.rerender(frameOf(state));
  };
  const redraw = (): void => draw(latest);
  stdout.on('resize', redraw);
  return {
    draw,
    clear: () => instance.clear(),
    close: () => {
      stdout.off('resize', redraw);
      instance.unmount();
    },
  };
}

/** Reads keys, where they come from a keyboard. */
function Keys(props: { readonly onKeys: (keys: readonly WatchKey[]) => void }): ReactNode {
  const { isRawModeSupported } = useStdin();
  useInput((input, key) => props.onKeys(keysOf(input, key)), { isActive: isRawModeSupported });
  return null;
}

/**
 * The same terminal, its height kept from ink. Where a frame is as high as the terminal ink clears it with all that has
 * scrolled away; our frames are always lower, but a terminal made smaller would meet the frame drawn before.
 */
function withoutHeight(stdout: NodeJS.WriteStream): NodeJS.WriteStream {
  return new Proxy(stdout, {
    get(target, name) {
      if (name === 'rows') return Number.MAX_SAFE_INTEGER;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
