import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCli } from '../cli/run-cli.js';
import { startTestDaemon } from '../helpers/daemon.js';
import { makeMedia, media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

const home = tempFolder();
const daemon = await startTestDaemon({ filesRoots: ['/'] });
const film = await media('silent.mp4');
await makeMedia(join(home, 'my logo.png'), [
  '-f',
  'lavfi',
  '-i',
  'color=red:size=40x40:duration=0.04',
  '-frames:v',
  '1',
]);
/** Red, green and blue of a pixel of the first frame, 16 pixels from the left. */
async function colourIn(path: string): Promise<readonly number[]> {
  const { ffmpeg } = await testFfmpeg();
  const filters = ['-vf', 'crop=2:2:16:16', '-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24'];
  const args = ['-v', 'error', '-i', path, ...filters, 'pipe:1'];
  const { stdout } = await promisify(execFile)(ffmpeg.path, args, { encoding: 'buffer' });
  return [...stdout.subarray(0, 3)];
}

const venc = (words: readonly string[], stdin = '') =>
  runCli(words, { cwd: home, stdin, env: { XDG_CONFIG_HOME: join(home, 'config') } });

test.before(async () => {
  const added = await venc(['target', 'add', 'here', daemon.url], `${daemon.key}\n`);
  assert.is(added.code, 0, added.stderr);
  assert.is((await venc(['target', 'use', 'here'])).code, 0);
});
test.after(() => daemon.stop());

test('submitting a file of lines twice creates its jobs once, even if some lines are invalid', async () => {
  const good = (name: string) =>
    JSON.stringify({ input: `file://${film}`, grouping: 'lines', outputs: { filename: name } });
  const lines = `${good('a.mp4')}\n{"input"\n${good('b.mp4')}\n`;
  const words = [
    'submit',
    '-',
    '--ndjson',
    '--idempotency-key',
    'tuesday',
    '--width',
    '64',
    '--wait',
    '--progress',
    'json',
  ];
  const first = await venc(words, lines);
  assert.is(first.code, 2, first.stderr);
  assert.match(first.stderr, /^venc: line 2: /m);
  assert.match(first.stdout, /^\d+\n\d+\n$/);
  const shown = first.stderr.split('\n').filter((line) => line.startsWith('{'));
  const { event, percent } = JSON.parse(shown.at(-1) ?? '{}');
  assert.equal([event, percent], ['3 files', 100], 'one progress display covers all lines');
  const second = await venc(words, lines);
  assert.equal([second.code, second.stdout], [2, first.stdout]);
  const jobs = JSON.parse(
    (await venc(['list', '--json', '--fields', 'state,output_media_files.width'])).stdout,
  );
  assert.equal(jobs, [
    { state: 'finished', output_media_files: [{ width: 64 }] },
    { state: 'finished', output_media_files: [{ width: 64 }] },
  ]);
  const today = new Date().toISOString().slice(0, 10);
  const report = await venc([
    'report',
    'vod',
    '--from',
    today,
    '--to',
    today,
    '--grouping',
    'lines',
    '--csv',
  ]);
  assert.match(report.stdout, new RegExp(`^collected_on.*\\n${today},lines,0\\.\\d+,0\\.\\d+\\n$`, 'm'));
});

test('a local watermark is uploaded with a submitted job, and read directly by run and plan', async () => {
  writeFileSync(join(home, 'request.xml'), `<api-request><input>file://${film}</input></api-request>`);
  const settings = [
    '--watermark',
    'url=my logo.png,x=0,y=0',
    '--output',
    'filename=marked.mp4,width=160,height=120',
  ];
  const words = ['submit', 'request.xml', ...settings, '--wait', '--download', '.', '--progress', 'none'];
  const submitted = await venc(words);
  assert.is(submitted.code, 0, submitted.stderr);
  const ran = await venc(['run', film, ...settings, '-o', 'ran.mp4', '--progress', 'none']);
  assert.is(ran.code, 0, ran.stderr);
  for (const name of ['marked.mp4', 'ran.mp4']) {
    const [red = 0, green = 255, blue = 255] = await colourIn(join(home, name));
    assert.ok(red > 180 && green < 70 && blue < 70, `${name}: ${[red, green, blue].join()}`);
  }
  const planned = await venc(['plan', film, ...settings]);
  assert.equal([planned.code, planned.stderr], [0, '']);
  assert.ok(planned.stdout.includes(join(home, 'my logo.png')), planned.stdout);
});

test.run();
