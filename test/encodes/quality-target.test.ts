import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord, OutputMediaFile } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { independentVmaf } from '../helpers/independent-vmaf.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { type ShippedBuild, shippedBuilds } from './shipped.js';

/*
 * Whether outputs of `venc run` reach their `quality_target`. The films have few frames, so that a probe takes a second.
 */
const { measurer } = await testFfmpeg();
const folder = tempFolder();
const at = (name: string) => join(folder, name);

async function make(name: string, ...args: readonly string[]): Promise<string> {
  await ffmpegRaw(...args, at(name));
  return at(name);
}

const lossless = ['-c:v', 'ffv1', '-pix_fmt', 'yuv420p'] as const;
const moving = 'mandelbrot=s=320x180:r=8:end_pts=100,noise=alls=6:allf=t';
const film = await make('film.mkv', '-f', 'lavfi', '-i', moving, '-t', '1', ...lossless);
/** Long enough for samples: a part is much harder than the rest. */
const long = await make(
  'long.mkv',
  ...['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=2:d=66', '-f', 'lavfi', '-i', 'color=gray:s=160x90:r=2:d=66'],
  ...['-filter_complex', '[0:v]noise=alls=30:allf=t[a];[1:v][a]overlay=enable=gt(t\\,40)[v]', '-map', '[v]'],
  ...lossless,
);

/** The codecs that are tried with each build, by its index. */
const codecs: readonly (readonly string[])[] = [['h264', 'hevc', 'vp9', 'vp8'], ['h264', 'vp9'], ['av1']];

let count = 0;

/** Encodes a file with `venc run` and returns the exit code, the errors and the record of the output. */
async function encodedTo(
  build: ShippedBuild,
  input: string,
  ...words: readonly string[]
): Promise<{ readonly output: OutputMediaFile; readonly path: string }> {
  count += 1;
  const path = at(`out-${count}.mkv`);
  const args = ['run', input, '-o', path, '--progress', 'none', '--json', ...words];
  const { stdout, stderr } = await runCli(args, { env: { HOME: folder, ...build.env } });
  assert.ok(stdout.startsWith('['), stderr);
  const [answer] = JSON.parse(stdout) as readonly { readonly job: JobRecord }[];
  const output = answer?.job.output_media_files[0];
  if (output === undefined) throw new Error(`no output in ${stdout}`);
  return { output, path };
}

for (const [index, build] of measurer === null ? [] : (await shippedBuilds()).entries()) {
  const test = suite(`quality targets, ${build.name}`);

  for (const codec of codecs[index] ?? ['h264']) {
    test(`${codec} reaches its target, and the record says how`, async () => {
      const words = ['--video-codec', codec, '--quality-target', '85', '--speed', '5'];
      const { output, path } = await encodedTo(build, film, ...words);
      const { quality } = output;
      const expected = await independentVmaf(path, film, folder);
      assert.ok(Math.abs((quality?.mean ?? 0) - expected) < 0.2, `${quality?.mean}, not ${expected}`);
      assert.ok(Math.abs(expected - 85) <= 1, `${expected} with ${JSON.stringify(quality)}`);
      assert.equal([quality?.target, quality?.floor, quality?.samples], [85, null, 0]);
      const tried = quality?.probes?.length ?? 0;
      assert.ok(tried >= 1 && tried <= 4, `${tried} probes`);
      assert.is(quality?.limited_by, null);
    });
  }

  if (index === 0) {
    test('a film of a minute is searched by samples', async () => {
      const { output } = await encodedTo(build, long, '--quality-target', '80', '--speed', '5');
      const { quality } = output;
      assert.is(quality?.samples, 6);
      // Most of it scores the same with any factor, so the line between probes is less exact.
      assert.ok(Math.abs((quality?.mean ?? 0) - 80) <= 2, JSON.stringify(quality));
    });

    test('without a check the record has the prediction', async () => {
      const words = ['--quality-target', '85', '--quality-check', 'none'];
      const { output, path } = await encodedTo(build, film, ...words);
      const { mean, scores, check, predicted = 0, crf } = output.quality ?? {};
      assert.equal([mean, scores, check, output.warnings], [undefined, undefined, 'none', undefined]);
      const expected = await independentVmaf(path, film, folder);
      assert.ok(Math.abs(expected - predicted) <= 1, `${expected}, not ${predicted} with ${crf}`);
    });

    test('a score that cannot be reached is a warning, and fails with strict', async () => {
      const words = ['--quality-target', '99', '--width', '32', '--quality-reference', 'source'];
      const { output } = await encodedTo(build, film, ...words);
      assert.is(output.quality?.limited_by, 'crf');
      assert.match(
        String(output.warnings),
        /was not reached: the quality is [\d.]+ instead of 99 \(limited by crf\)/,
      );
      const strict = await encodedTo(build, film, ...words, '--strict');
      assert.is(strict.output.error_class, 'QualityError');
    });

    test('black and a single frame have a factor', async () => {
      const black = await make('black.mkv', '-f', 'lavfi', '-i', 'color=black:s=160x90:r=4:d=1', ...lossless);
      const { output } = await encodedTo(build, black, '--quality-target', '90');
      assert.equal([output.quality?.crf, output.quality?.limited_by], [51, 'crf']);
      const frame = await make('frame.mkv', '-i', film, '-frames:v', '1', ...lossless);
      const { quality } = (await encodedTo(build, frame, '--quality-target', '80')).output;
      assert.ok(Math.abs((quality?.mean ?? 0) - 80) <= 3, JSON.stringify(quality));
    });

    test('a maximum bitrate decides, and the record says so', async () => {
      const words = ['--quality-target', '95', '--bitrate-cap', '60', '--buffer-size', '60'];
      const { output } = await encodedTo(build, film, ...words);
      assert.is(output.quality?.limited_by, 'bitrate_cap', JSON.stringify(output.quality));
    });

    test('no second is worse than the floor', async () => {
      const { output } = await encodedTo(build, film, '--quality-target', '80', '--quality-floor', '79');
      assert.ok((output.quality?.worst_second?.score ?? 0) >= 79, JSON.stringify(output.quality));
    });
  }

  test.run();
}
