import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { waitUntil } from './wait-until.js';

const run = promisify(execFile);

/** Whether tmux is here. */
export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V']);
    return true;
  } catch {
    return false;
  }
}

/** A terminal of its own, with a shell in it, that a test types into and looks at. */
export interface Terminal {
  /** Types keys, by their names in tmux: `c`, `Enter`, `Up`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Types a line and the enter key. */
  type(line: string): Promise<void>;
  /** What stands on the terminal, blanks at the ends of lines left out. */
  text(): Promise<string>;
  /** Resolves to the text once it matches. */
  shows(what: RegExp): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Closes the window, as a person does by its button: the programs in it are hung up. */
  hangUp(): Promise<void>;
  /** Whether the cursor can be seen. */
  hasCursor(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens a terminal on a tmux server of its own, which no configuration of the user's reaches. */
export async function openTerminal(
  folder: string,
  columns: number,
  rows: number,
  env: Readonly<Record<string, string>>,
): Promise<Terminal> {
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await run('tmux', ['-S', `${folder}/tmux`, '-f', '/dev/null', ...args])).stdout;
  // What shells and programs leave behind, such as fish its sockets, goes with the folder.
  const variables = Object.entries({ TMPDIR: folder, ...env }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  // The size of the window follows what the test says, as nobody is attached.
  const size = ['-x', String(columns), '-y', String(rows)];
  await tmux(
    '-u',
    'new-session',
    '-d',
    '-s',
    'test',
    ...size,
    ...variables,
    'env',
    '-u',
    'CI',
    'PS1=> ',
    'sh',
  );
  const text = async (): Promise<string> => (await tmux('capture-pane', '-p', '-t', 'test')).trimEnd();
  return {
    press: async (...keys) => void (await tmux('send-keys', '-t', 'test', ...keys)),
    type: async (line) => {
      await tmux('send-keys', '-t', 'test', '-l', line);
      await tmux('send-keys', '-t', 'test', 'Enter');
    },
    text,
    shows: async (what) => {
      let latest = '';
      try {
        await waitUntil(`the terminal shows ${what}`, async () => {
          latest = await text();
          return what.test(latest);
        });
      } catch (cause) {
        throw new Error(`The terminal never showed ${what}, but this:\n${latest}`, { cause });
      }
      return latest;
    },
    resize: async (width, height) =>
      void (await tmux('resize-window', '-t', 'test', '-x', String(width), '-y', String(height))),
    hangUp: async () => {
      // A second session keeps the server.
      await tmux('new-session', '-d', '-s', 'other', 'sleep', '600');
      await tmux('kill-session', '-t', 'test');
    },
    hasCursor: async () => (await tmux('display', '-p', '-t', 'test', '#{cursor_flag}')).trim() === '1',
    close: async () => void (await tmux('kill-server')),
  };
}
