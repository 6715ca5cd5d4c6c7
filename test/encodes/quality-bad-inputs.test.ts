import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord, OutputMediaFile } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { makeHdr } from '../helpers/hdr.js';
import { independentVmaf } from '../helpers/independent-vmaf.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * What `quality_target` makes of films that are small, odd or damaged. They have 4 frames per second, so that a probe is fast.
 */
const { measurer } = await testFfmpeg();
const folder = tempFolder();
const at = (name: string) => join(folder, name);

async function make(name: string, ...args: readonly string[]): Promise<string> {
  await ffmpegRaw(...args, at(name));
  return at(name);
}

const lossless = ['-c:v', 'ffv1', '-pix_fmt', 'yuv420p'] as const;
const moving = 'mandelbrot=s=160x90:r=4:end_pts=100,noise=alls=6:allf=t';
const film = await make('film.mkv', '-f', 'lavfi', '-i', moving, '-t', '1', ...lossless);

let count = 0;

/** Encodes a file with a target, and returns the exit code, and the record of the output with its path. */
async function encoded(
  input: string,
  target: number,
  ...words: readonly string[]
): Promise<OutputMediaFile & { readonly path: string; readonly code: number | null }> {
  count += 1;
  const path = at(`out-${count}.mkv`);
  const args = ['run', input, '-o', path, '--progress', 'none', '--json', '--speed', '5'];
  const asked = ['--quality-target', String(target), ...words];
  const { code, stdout, stderr } = await runCli([...args, ...asked], { env: { HOME: folder } });
  assert.ok(stdout.startsWith('['), stderr);
  const [answer] = JSON.parse(stdout) as readonly { readonly job: JobRecord }[];
  const output = answer?.job.output_media_files[0];
  if (output === undefined) throw new Error(`no output in ${stdout}`);
  return { ...output, path, code };
}

function requireNear({ quality, warnings }: OutputMediaFile, target: number, within = 1): void {
  assert.ok(
    Math.abs((quality?.mean ?? 0) - target) <= within,
    JSON.stringify({ ...quality, scores: [], warnings }),
  );
}

if (measurer === null) process.stdout.write('skipped: no ffmpeg with libvmaf\n');
else {
  test('a film of an odd size reaches its target', async () => {
    const odd = await make(
      'odd.mkv',
      '-f',
      'lavfi',
      '-i',
      moving.replace('160x90', '161x91'),
      '-t',
      '1',
      ...lossless,
    );
    const output = await encoded(odd, 85);
    requireNear(output, 85);
    assert.is(output.quality?.limited_by, null);
  });

  test('10 bits are measured as 10 bits', async () => {
    const deep = await make('deep.mkv', '-i', film, '-c:v', 'ffv1', '-pix_fmt', 'yuv420p10le');
    const output = await encoded(deep, 85, '--video-bit-depth', '10', '--video-codec', 'hevc');
    requireNear(output, 85);
    const expected = await independentVmaf(output.path, deep, folder);
    assert.ok(
      Math.abs(expected - (output.quality?.mean ?? 0)) < 0.5,
      `${output.quality?.mean}, not ${expected}`,
    );
  });

  test('HDR reaches its target in standard range, and with a warning if it is kept', async () => {
    const hdr = at('hdr.mkv');
    await makeHdr(hdr, { range: 'pq', input: ['-i', film] });
    const mapped = await encoded(hdr, 85);
    requireNear(mapped, 85);
    assert.match(String(mapped.warnings), /HDR|standard range/);
    const kept = await encoded(hdr, 85, '--video-codec', 'hevc', '--hdr', 'keep');
    requireNear(kept, 85);
    assert.match(String(kept.warnings), /model that was made for standard range/);
  });

  test('a film with a damaged part reaches its target with what is left, and has a warning', async () => {
    const whole = await make(
      'whole.ts',
      '-i',
      film,
      '-c:v',
      'mpeg2video',
      '-r',
      '25',
      '-q:v',
      '2',
      '-g',
      '4',
    );
    const bytes = await readFile(whole);
    const middle = Math.floor(bytes.length / 2);
    for (let index = middle; index < middle + bytes.length / 8; index += 1)
      bytes[index] = (index * 7919) % 251;
    await writeFile(at('garbage.ts'), bytes);
    const output = await encoded(at('garbage.ts'), 85);
    assert.is(output.code, 0);
    requireNear(output, 85);
    assert.match(String(output.warnings), /The input is damaged/);
  });
}

test.run();
