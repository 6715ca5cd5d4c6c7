import { readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli, startCli } from '../cli/run-cli.js';
import { type DaemonProcess, processKey, startDaemonProcess } from '../helpers/daemon-process.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const test = suite<{ daemon: DaemonProcess; env: Record<string, string>; cwd: string }>(
  'submit of several inputs to a daemon',
);

test.before(async (context) => {
  context.daemon = await startDaemonProcess(tempFolder());
  context.env = { VENC_URL: context.daemon.url, VENC_API_KEY: processKey };
  context.cwd = tempFolder();
  await mkdir(join(context.cwd, 'more'));
  await Promise.all(
    ['a.mov', 'b.mov', 'more/a.mov'].map((name) => makeMedia(join(context.cwd, name), film('64x48', 1))),
  );
  writeFileSync(join(context.cwd, 'c.mov'), 'no film');
});
test.after(async ({ daemon }) => void (await daemon.end('SIGTERM')));

test('--wait waits for all inputs with one display, --download downloads each output, and one exit code covers all', async ({
  env,
  cwd,
}) => {
  const inputs = ['a.mov', 'c.mov', 'b.mov', 'more/a.mov'];
  const words = ['submit', ...inputs, '--width', '32', '--wait', '--download', 'out', '--progress', 'json'];
  const { code, stdout, stderr } = await runCli(words, { env, cwd });
  assert.is(code, 1, stderr);
  const lines = stdout.trimEnd().split('\n');
  const ids = lines.slice(0, 4).map(Number);
  assert.equal(lines.slice(4), ['out/a.mp4', 'out/b.mp4', `out/a-${(ids[3] ?? 0) + 2}.mp4`]);
  assert.equal(readdirSync(join(cwd, 'out')).sort(), [`a-${(ids[3] ?? 0) + 2}.mp4`, 'a.mp4', 'b.mp4']);
  const events = new Set(
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line).event),
  );
  assert.equal([...events].slice(0, 2), ['4 uploads', '4 files']);
  assert.match(stderr, new RegExp(`^venc: (c\\.mov: )?job ${ids[1]} failed`, 'im'));
  const again = await runCli(words, { env, cwd });
  assert.is(again.code, 2);
  assert.match(again.stderr, /^venc: (a\.mov: )?out\/a\.mp4 already exists/m);
  assert.match(again.stdout, /^\d+\n$/, 'only the output of c.mov is missing');
});

test('Ctrl-C during --wait leaves the jobs running and prints the command to wait again', async ({
  daemon,
  env,
  cwd,
}) => {
  // Else both may have ended before Ctrl-C on a busy machine: one soon fails, and the other is short.
  const headers = { 'Service-Api-Key': processKey };
  assert.is((await fetch(`${daemon.url}/v2/queue/pause`, { method: 'PUT', headers })).status, 200);
  writeFileSync(
    join(cwd, 'long.json'),
    JSON.stringify({ input: `http://127.0.0.1:9/never.mov`, outputs: [{ width: 32 }] }),
  );
  const words = ['submit', 'long.json', 'a.mov', '--wait', '--progress', 'json'];
  const run = startCli(words, { env, cwd });
  await run.expectedText('"event":"2 files"');
  run.child.kill('SIGINT');
  const { code, stdout, stderr } = await run.ended;
  assert.is(code, 130, stderr);
  assert.match(stderr, new RegExp(`to wait again: venc wait ${stdout.trim().split('\n').join(' ')}$`, 'm'));
});

test.run();
