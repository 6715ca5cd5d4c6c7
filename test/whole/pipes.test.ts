import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { processesOf } from '../helpers/chaos/processes.js';
import { film, makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { waitUntil } from '../helpers/wait-until.js';

const test = suite('pipes');
const folder = tempFolder();
const temporary = join(folder, 'tmp');
const input = join(folder, 'in.mkv');

test.before(async () => {
  mkdirSync(temporary);
  await makeMedia(input, film('160x120', 2));
});

/** What a run with pipes wrote, and how it ended. `readBytes` is after how many bytes its stdout is closed. */
async function run(
  words: readonly string[],
  stdin: string | null,
  readBytes = Number.POSITIVE_INFINITY,
): Promise<{ readonly code: number | null; readonly bytes: Buffer; readonly stderr: string }> {
  const child = spawn(process.execPath, [resolve('bin/venc.js'), 'run', ...words, '--progress', 'none'], {
    cwd: folder,
    env: { ...process.env, HOME: folder, TMPDIR: temporary },
  });
  child.stdin.on('error', () => {});
  if (stdin === null) child.stdin.end();
  else createReadStream(stdin).pipe(child.stdin);
  const chunks: Buffer[] = [];
  let count = 0;
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    count += chunk.length;
    if (count >= readBytes) child.stdout.destroy();
  });
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk);
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, bytes: Buffer.concat(chunks), stderr };
}

/** The hash of all decoded frames of a file. */
async function framesOf(path: string): Promise<string> {
  const args = ['-v', 'error', '-i', path, '-f', 'framemd5', '-'];
  const { stdout } = await promisify(execFile)('ffmpeg', args, { maxBuffer: 1 << 26 });
  const lines = stdout.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.ok(lines.length > 40, path);
  return createHash('sha256')
    .update(lines.map((line) => line.split(',').at(-1)).join())
    .digest('hex');
}

for (const format of ['ts', 'mkv', 'm4f'])
  test(`${format} from stdin to stdout has the frames of the same file`, async () => {
    const piped = await run(['-', '-o', '-', '--format', format], input);
    assert.is(piped.stderr, '');
    assert.is(piped.code, 0);
    const path = join(folder, `piped.${format}`);
    writeFileSync(path, piped.bytes);
    const file = await run(['in.mkv', '-o', `file.${format}`], null);
    assert.is(file.bytes.toString(), `file.${format}\n`);
    assert.is(await framesOf(path), await framesOf(join(folder, `file.${format}`)));
    assert.equal(readdirSync(temporary), []);
  });

test('a request on stdin is still a request, and a film without -o becomes stdin.mp4', async () => {
  const request = join(folder, 'request');
  writeFileSync(request, `\n {"input": "${input}", "outputs": [{"skip_video": true}]}`);
  const { code, bytes } = await run(['-', '-o', '-', '--format', 'wav'], request);
  assert.is(code, 0);
  assert.is(bytes.subarray(0, 4).toString(), 'RIFF');
  assert.is((await run(['-'], input)).bytes.toString(), 'stdin.mp4\n');
  assert.ok(readFileSync(join(folder, 'stdin.mp4')).length > 1000);
});

test('a reader that closes the pipe ends ffmpeg, and nothing is left', async () => {
  const slow = ['--size', '1280x960', '--upscale', '--speed', '1'];
  const { code, stderr } = await run(['in.mkv', '-o', '-', '--format', 'ts', ...slow], null, 1);
  assert.is(code, 1);
  assert.match(stderr, /^venc: The reader of stdout closed the pipe before the end/);
  assert.equal(processesOf(folder), []);
  assert.equal(readdirSync(temporary), []);
});

test('Ctrl-C ends a run whose reader has stopped reading', async () => {
  const words = ['run', 'in.mkv', '-o', '-', '--format', 'ts', '--video-bitrate', '20000', '--onepass'];
  const child = spawn(process.execPath, [resolve('bin/venc.js'), ...words, '--progress', 'none'], {
    cwd: folder,
    env: { ...process.env, HOME: folder, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((done) => child.on('exit', done));
  await waitUntil('the pipe is full', async () => child.stdout.readableLength > 0);
  child.kill('SIGINT');
  assert.is(await ended, 130);
  assert.equal(processesOf(folder), []);
  assert.equal(readdirSync(temporary), []);
  child.stdout.destroy();
});

test('what cannot be piped is rejected, and stdout stays empty', async () => {
  const cases: readonly (readonly [readonly string[], RegExp])[] = [
    [['in.mkv', '-o', '-'], /-o - needs --format/],
    [['in.mkv', '-o', '-', '--format', 'mp4'], /mp4 cannot be written to a pipe.*\n.*--format m4f/],
    [['in.mkv', '-o', '-', '--format', 'tz'], /--format must be one of/],
    [['in.mkv', '-o', '-', '--format', 'ts', '--json'], /--json and -o -/],
    [['in.mkv', '-o', '-', '--format', 'ts', '--video-bitrate', '500'], /--video-bitrate .* two passes/],
    [['in.mkv', '-o', '-', '--format', 'ts', '--thumbnails', 'number=2'], /thumbnails cannot/],
    [['in.mkv', '-o', '-', '-o', 'a.ts', '--format', 'ts'], /Only one output/],
    [['.', '-o', '-', '--format', 'ts'], /Only one output/],
    [['in.mkv', '--hls', '-'], /--hls or --dash writes many files/],
    [['-', '-o', 'a.mp4'], /Nothing came from stdin: it is empty/],
  ];
  for (const [words, message] of cases) {
    const { code, bytes, stderr } = await run(words, null);
    assert.match(stderr, message);
    assert.is(code, 2, words.join(' '));
    assert.is(bytes.length, 0);
  }
});

test.run();
