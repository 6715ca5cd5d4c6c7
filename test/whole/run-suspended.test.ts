import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { encoderStates, processesOf } from '../helpers/chaos/processes.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { hasTmux, openTerminal, type Terminal } from '../helpers/tmux.js';
import { pollUntil, waitUntil } from '../helpers/wait-until.js';

const program = fileURLToPath(new URL('../../../bin/venc.js', import.meta.url));
const seconds = 12;

const test = suite<{ folder: string; terminal: Terminal }>('Ctrl-Z');

test.before.each(async (context) => {
  const folder = tempFolder();
  await mkdir(join(folder, 'tmp'));
  await makeMedia(join(folder, 'in.mp4'), film('320x240', seconds));
  Object.assign(context, { folder });
  context.terminal = await openTerminal(folder, 80, 20, { LC_ALL: 'C.UTF-8', TMPDIR: join(folder, 'tmp') });
  await context.terminal.type(`cd '${folder}'`);
});
test.after.each(({ terminal }) => terminal.close());

const encode = `'${process.execPath}' '${program}' run in.mp4 -o out.mp4 --speed 2 --width 960 --upscale`;

const isStopped = (folder: string) => /^T+$/.test(encoderStates(folder));
const isRunning = (folder: string) => /^[^T]+$/.test(encoderStates(folder));

/** Whether the terminal of a run sends Ctrl-C to it. */
async function isInForeground(folder: string): Promise<boolean> {
  const runs = processesOf(folder).filter(({ command }) => command.includes('venc.js run'));
  const stats = await Promise.all(
    runs.map(({ pid }) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')),
  );
  // Behind the name of the program: state, parent, group, session, terminal, and the group in its foreground.
  return stats.some((stat) => /\) \S \d+ (\d+) \d+ \d+ \1 /.test(stat));
}

/** The number of frames in a file. */
async function frameCount(path: string): Promise<string> {
  const count = [
    '-v',
    'error',
    '-count_frames',
    '-select_streams',
    'v',
    '-show_entries',
    'stream=nb_read_frames',
  ];
  return (await promisify(execFile)('ffprobe', [...count, '-of', 'csv=p=0', path])).stdout.trim();
}

if (hasTmux()) {
  test('stops the encoder of a run, and fg lets it continue', async ({ folder, terminal }) => {
    await terminal.type(encode);
    await terminal.shows(/transcoding/);
    for (const _ of ['once', 'twice']) {
      await waitUntil('the encoder runs', () => isRunning(folder));
      await terminal.press('C-z');
      await terminal.shows(/Stopped|Suspended/);
      await waitUntil('the encoder is stopped', () => isStopped(folder));
      await terminal.type('clear; fg; echo ended $?');
    }
    // On a busy machine, the encode takes longer than a text of the terminal is awaited.
    await pollUntil(
      () => encoderStates(folder),
      (states) => states === '',
    );
    await terminal.shows(/ended 0/);
    assert.is(await frameCount(join(folder, 'out.mp4')), String(25 * seconds));
  });

  test('a run that is stopped continues in the background, and Ctrl-C after fg leaves nothing', async ({
    folder,
    terminal,
  }) => {
    await terminal.type(encode);
    await terminal.shows(/transcoding/);
    await waitUntil('the encoder runs', () => isRunning(folder));
    await terminal.press('C-z');
    await waitUntil('the encoder is stopped', () => isStopped(folder));
    await terminal.type('bg');
    await waitUntil('the encoder runs', () => isRunning(folder));
    await terminal.type('clear; fg');
    // The shell names the command before it is in the foreground.
    await terminal.shows(/^(?!>).*venc\.js/m);
    await waitUntil('the run is in the foreground', () => isInForeground(folder));
    await terminal.press('C-c');
    await terminal.shows(/Interrupted: the encoding was cancelled/);
    await waitUntil('no encoder is left', () => encoderStates(folder) === '');
  });
}

test.run();
