import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Samples of films of some minutes. They have one frame per second, so that a sample has five.
 */
const { measurer } = await testFfmpeg();
const folder = tempFolder();
const at = (name: string) => join(folder, name);

const h264 = ['-c:v', 'libx264', '-crf', '12', '-bf', '2', '-pix_fmt', 'yuv420p'] as const;
const parts = [
  'mandelbrot=s=160x90:r=1:end_pts=140,noise=alls=8:allf=t',
  'testsrc2=s=160x90:r=1,noise=alls=20:allf=t',
  'mandelbrot=s=160x90:r=1:end_scale=0.1:end_pts=100',
];

/** Makes a film of three parts that are not equally hard, 210 seconds. */
async function makeFilm(): Promise<void> {
  for (const [index, part] of parts.entries())
    await ffmpegRaw('-f', 'lavfi', '-i', part, '-t', '70', ...h264, at(`part-${index}.mp4`));
  await writeFile(at('list.txt'), parts.map((_, index) => `file part-${index}.mp4\n`).join(''));
  await ffmpegRaw('-f', 'concat', '-i', at('list.txt'), '-c', 'copy', at('film.mp4'));
}

// For ten seconds of forty the last frame stays: samples may have no frame.
const gaps = ['-vf', 'select=not(between(mod(n\\,40)\\,3\\,12))', '-vsync', 'vfr'] as const;

if (measurer === null) process.stdout.write('skipped: no ffmpeg with libvmaf\n');
else {
  await makeFilm();
  for (const [name, ...args] of [
    // All of its packets lack times of display.
    ['film.avi', '-c', 'copy', '-bsf:v', 'h264_mp4toannexb'],
    ['uneven.mkv', ...gaps, ...h264],
  ] as const) {
    test(`the samples of ${name} promise what its check finds`, async () => {
      await ffmpegRaw('-i', at('film.mp4'), ...args, at(name));
      const words = ['--quality-target', '85', '--quality-check', 'samples', '--speed', '5', '--force'];
      const { stdout, stderr } = await runCli(
        ['run', at(name), '-o', at('out.mkv'), '--progress', 'none', '--json', ...words],
        { env: { HOME: folder } },
      );
      const [answer] = JSON.parse(stdout) as readonly { readonly job: JobRecord }[];
      const { quality } = answer?.job.output_media_files[0] ?? {};
      const { mean = 0, predicted = 0 } = quality ?? {};
      assert.equal([quality?.samples, quality?.check], [6, 'samples'], stderr);
      assert.ok(Math.abs(mean - predicted) <= 2, JSON.stringify(quality));
      assert.ok(Math.abs(mean - 85) <= 2, JSON.stringify(quality));
    });
  }
}

test.run();
