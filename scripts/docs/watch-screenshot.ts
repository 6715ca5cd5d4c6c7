/*
 * `npm run build && node dist/scripts/docs/watch-screenshot.js` writes docs/watch.svg, the screen of `venc watch` in
 * a real run under tmux. Of three jobs, one is finished, one has failed, and one encodes two outputs. Requires tmux
 * and an ffmpeg on the search path.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { renderTerminalSvg } from './terminal-screenshot.js';

const columns = 100;
const rows = 18;
const folder = mkdtempSync(join(tmpdir(), 'venc-screenshot-'));
const venc = resolve('bin/venc.js');
const env = {
  ...process.env,
  HOME: folder,
  VENC_DATA: join(folder, 'data'),
  TERM: 'xterm-256color',
  LC_ALL: 'C.UTF-8',
  CI: '',
  NO_COLOR: '',
  FORCE_COLOR: '1',
};
const run = (program: string, ...args: readonly string[]) =>
  execFileSync(program, args, {
    env,
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
const film = (name: string, seconds: number) =>
  run(
    'ffmpeg',
    '-v',
    'error',
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=1280x720:d=${seconds}`,
    '-preset',
    'ultrafast',
    name,
  );
const submit = (...words: readonly string[]) =>
  run(process.execPath, venc, 'submit', ...words, '--progress', 'none');
const tmux = (...words: readonly string[]) => run('tmux', '-L', 'venc-screenshot', ...words);

const daemon = spawn(process.execPath, [venc, 'daemon', '--port', '0', '--grace', '0', '--jobs', '1'], {
  env,
  stdio: ['ignore', 'pipe', 'ignore'],
});
try {
  film('short.mp4', 1);
  film('holiday.mov', 90);
  writeFileSync(join(folder, 'broken.mov'), 'no film');
  await once(daemon.stdout, 'data');
  const ids = [
    submit('short.mp4', '--label', 'web'),
    submit('broken.mov'),
    submit('holiday.mov', '--output', 'label=web,size=1280x720', '--output', 'label=small,size=640x360'),
  ];
  // The first two jobs have ended before the screen starts, and the screen shows their results first.
  run('sh', '-c', '"$@" || true', 'sh', process.execPath, venc, 'wait', ...ids.slice(0, 2));
  tmux(
    'new-session',
    '-d',
    '-x',
    String(columns),
    '-y',
    String(rows),
    `${process.execPath} ${venc} watch ${ids.join(' ')}`,
  );
  for (let poll = 0; poll < 240; poll += 1) {
    await sleep(500);
    if (/ [3-7]\d(\.\d)?%/.test(tmux('capture-pane', '-p'))) break;
  }
  // The running job is the last row; expanded, it shows its outputs.
  tmux('send-keys', 'Down', 'Down', 'Enter');
  await sleep(1500);
  writeFileSync(
    'docs/watch.svg',
    renderTerminalSvg(tmux('capture-pane', '-e', '-p'), columns, 'The screen of venc watch'),
  );
  tmux('send-keys', 'q');
} finally {
  run('sh', '-c', 'tmux -L venc-screenshot kill-server || true');
  const exited = once(daemon, 'exit');
  daemon.kill('SIGTERM');
  await exited;
  rmSync(folder, { recursive: true, force: true });
}
