import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SecondScore } from '../../daemon/plan/quality/pool-scores.js';
import type { JobRecord, OutputMediaFile, QualityMeasurement } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { independentVmaf } from '../helpers/independent-vmaf.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { type ShippedBuild, shippedBuilds } from './shipped.js';

/*
 * What `measure_quality` finds in outputs of `venc run`. The films have 8 frames per second, so that a measurement takes a second.
 */
const { measurer } = await testFfmpeg();
const folder = tempFolder();
const at = (name: string) => join(folder, name);

async function make(name: string, ...args: readonly string[]): Promise<string> {
  await ffmpegRaw(...args, at(name));
  return at(name);
}

const lossless = ['-c:v', 'ffv1', '-pix_fmt', 'yuv420p'] as const;
const film = await make('film.mkv', '-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=8:d=2', ...lossless);

/** A file of `quality_log`. */
type QualityLog = QualityMeasurement & { readonly per_second: readonly SecondScore[] };

let count = 0;

/** Encodes a file with `venc run` and returns the record of the output, with its path. */
async function measured(
  build: ShippedBuild,
  input: string,
  ...words: readonly string[]
): Promise<OutputMediaFile & { readonly path: string }> {
  count += 1;
  const path = at(`out-${count}.mp4`);
  const args = ['run', input, '-o', path, '--progress', 'none', '--json', '--measure-quality', ...words];
  const { code, stdout, stderr } = await runCli(args, { env: { HOME: folder, ...build.env } });
  assert.is(code, 0, stderr);
  const [answer] = JSON.parse(stdout) as readonly { readonly job: JobRecord }[];
  const output = answer?.job.output_media_files[0];
  if (output === undefined) throw new Error(`no output in ${stdout}`);
  return { ...output, path };
}

for (const [index, build] of measurer === null ? [] : (await shippedBuilds()).entries()) {
  const test = suite(`measured quality, ${build.name}`);

  test('a scaled output is compared with the film at its size, or with the film', async () => {
    const { quality, warnings, path } = await measured(build, film, '--width', '160', '--quality', '2');
    const flags = 'flags=bicubic+accurate_rnd+full_chroma_int';
    const small = await make('small.mkv', '-i', film, '-vf', `scale=160:90:${flags}`, ...lossless);
    const expected = await independentVmaf(path, small, folder);
    assert.ok(Math.abs((quality?.mean ?? 0) - expected) < 0.2, `${quality?.mean}, not ${expected}`);
    assert.equal([quality?.reference, quality?.frames, warnings], ['output', 16, undefined]);
    const source = await measured(build, film, '--width', '160', '--quality-reference', 'source');
    assert.is(source.quality?.reference, 'source');
    assert.ok((source.quality?.mean ?? 100) < (quality?.mean ?? 0) - 5, `${source.quality?.mean}`);
  });

  if (index === 0) {
    const inputs = {
      rotated: ['-vf', 'transpose', '-c:v', 'libx264', '-metadata:s:v:0', 'rotate=90', '-pix_fmt', 'yuv420p'],
      uneven: ['-vf', 'select=gt(mod(n\\,5)\\,1)', '-vsync', 'vfr', '-enc_time_base', '1:1000', ...lossless],
      interlaced: [
        ...['-vf', 'tinterlace=interleave_top,setfield=tff', '-c:v', 'libx264', '-x264opts', 'tff=1'],
        ...['-flags', '+ilme+ildct', '-pix_fmt', 'yuv420p'],
      ],
    } as const;
    for (const [name, args] of Object.entries(inputs)) {
      test(`the quality of a film that is ${name} is measured`, async () => {
        const input = await make(`${name}.${name === 'uneven' ? 'mkv' : 'mp4'}`, '-i', film, ...args);
        const { quality, warnings } = await measured(build, input, '--quality', '5');
        assert.ok((quality?.mean ?? 0) > 85, `${quality?.mean} ${warnings?.join()}`);
      });
    }

    test('a clip, a watermark and a copy are measured', async () => {
      const image = await make('mark.png', '-f', 'lavfi', '-i', 'color=red:s=64x64', '-frames:v', '1');
      const words = ['--start-clip', '0.5', '--clip-length', '1', '--watermark', `url=file://${image}`];
      const clip = await measured(build, film, ...words, '--quality', '5');
      assert.ok((clip.quality?.mean ?? 0) > 85, `${clip.quality?.mean} ${clip.warnings?.join()}`);
      const coded = await make('coded.mp4', '-i', film, '-c:v', 'libx264', '-pix_fmt', 'yuv420p');
      const copied = await measured(build, coded, '--copy-video');
      assert.ok((copied.quality?.mean ?? 0) > 97, `${copied.quality?.mean}`);
    });

    test('the scores of all seconds are in a file next to the output, and next to a playlist', async () => {
      const { quality, path } = await measured(build, film, '--quality', '1', '--quality-log');
      const logPath = path.replace(/\.mp4$/, '.quality.json');
      assert.is(quality?.log_url, `file://${logPath}`);
      const log = JSON.parse(await readFile(logPath, 'utf8')) as QualityLog;
      assert.equal([log.mean, log.worst_second], [quality?.mean, quality?.worst_second]);
      assert.equal(
        log.per_second.map(({ time }) => time),
        [0, 1],
      );
      const mean = log.per_second.reduce((sum, { score }) => sum + score, 0) / 2;
      assert.ok(Math.abs(mean - log.mean) < 0.02, `${mean} is not ${log.mean}`);
      assert.is(Math.min(...log.per_second.map(({ score }) => score)), log.worst_second.score);
      const words = ['-o', at('list.m3u8'), '--type', 'segmented', '--measure-quality', '--quality-log'];
      assert.is((await runCli(['run', film, ...words], { env: { HOME: folder, ...build.env } })).code, 0);
      assert.ok(existsSync(at('list.quality.json')));
    });

    test('only the frames of samples are measured', async () => {
      const noise = 'testsrc2=s=160x90:r=4:d=64,noise=alls=20:allf=t';
      const long = await make('long.mkv', '-f', 'lavfi', '-i', noise, ...lossless);
      const words = ['--quality-check', 'samples', '--quality-log', '--quality', '2', '--speed', '5'];
      const { quality, path } = await measured(build, long, ...words);
      assert.equal([quality?.check, quality?.frames, quality?.subsample], ['samples', 256, 1]);
      const log = JSON.parse(await readFile(path.replace(/\.mp4$/, '.quality.json'), 'utf8')) as QualityLog;
      const times = log.per_second.map(({ time }) => time);
      assert.is(new Set(times).size, 24);
      // The last sample, cut out of both files.
      const start = times.at(-4) ?? 0;
      assert.equal(times.slice(-4), [start, start + 1, start + 2, start + 3]);
      const cut = (name: string, file: string) =>
        make(
          name,
          '-i',
          file,
          '-vf',
          `trim=start_frame=${start * 4}:end_frame=${start * 4 + 16}`,
          ...lossless,
        );
      const expected = await independentVmaf(
        await cut('cut1.mkv', path),
        await cut('cut2.mkv', long),
        folder,
      );
      const mean = log.per_second.slice(-4).reduce((sum, { score }) => sum + score, 0) / 4;
      // The first frame of a cut has no motion, which lowers its score. Frames of another number score far less.
      assert.ok(Math.abs(mean - expected) < 2, `${mean}, not ${expected}`);
    });

    test('audio has a warning, which strict makes an error', async () => {
      const tone = await make('tone.wav', '-f', 'lavfi', '-i', 'sine=d=1');
      const run = (...words: readonly string[]) =>
        runCli(['run', tone, '-o', at('tone.mp3'), '--overwrite', '--measure-quality', ...words], {
          env: { HOME: folder, ...build.env },
        });
      assert.match((await run()).stderr, /measure-quality has no effect: the output has no video/);
      assert.is((await run('--strict')).code, 2);
    });
  }

  test.run();
}
