import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { waitUntil } from './wait-until.js';

const run = promisify(execFile);

/** Whether tmux is installed. */
export function hasTmux(): boolean {
  try {
    execFileSync('tmux', ['-V']);
    return true;
  } catch {
    return false;
  }
}

/** A terminal with a shell that a test types into and reads. */
export interface Terminal {
  /** Presses keys by their tmux names: `c`, `Enter`, `Up`, `C-c`. */
  press(...keys: readonly string[]): Promise<void>;
  /** Types a line and presses Enter. */
  type(line: string): Promise<void>;
  /** The text of the screen, without trailing blanks. */
  text(): Promise<string>;
  /** Waits until the text matches and resolves to it. */
  shows(what: RegExp): Promise<string>;
  resize(columns: number, rows: number): Promise<void>;
  /** Closes the window like a user does: its programs receive SIGHUP. */
  hangUp(): Promise<void>;
  /** Whether the cursor is visible. */
  hasCursor(): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens a terminal on a separate tmux server without the user's configuration. */
export async function openTerminal(
  folder: string,
  columns: number,
  rows: number,
  env: Readonly<Record<string, string>>,
): Promise<Terminal> {
  const tmux = async (...args: readonly string[]): Promise<string> =>
    (await run('tmux', ['-S', `${folder}/tmux`, '-f', '/dev/null', ...args])).stdout;
  // Files that shells and programs leave behind, such as the sockets of fish, are removed with the folder.
  const variables = Object.entries({ TMPDIR: folder, ...env }).flatMap(([name, value]) => [
    '-e',
    `${name}=${value}`,
  ]);
  // No client is attached, so the test determines the size of the window.
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
  // What is typed before the prompt would be on the screen in front of it.
  await waitUntil('the shell shows its prompt', async () => (await text()) === '>');
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
        throw new Error(`The terminal did not show ${what}. It shows:\n${latest}`, { cause });
      }
      return latest;
    },
    resize: async (width, height) =>
      void (await tmux('resize-window', '-t', 'test', '-x', String(width), '-y', String(height))),
    hangUp: async () => {
      // A second session keeps the server running.
      await tmux('new-session', '-d', '-s', 'other', 'sleep', '600');
      await tmux('kill-session', '-t', 'test');
    },
    hasCursor: async () => (await tmux('display', '-p', '-t', 'test', '#{cursor_flag}')).trim() === '1',
    close: async () => void (await tmux('kill-server')),
  };
}
