import { mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobRecord } from '../../src/shared/records.js';
import { runCli } from '../cli/run-cli.js';
import { ffmpegRaw } from '../contracts/odd-input.js';
import { parsePlaylist } from '../helpers/hls.js';
import { independentVmaf } from '../helpers/independent-vmaf.js';
import { testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';

/*
 * Ladders that are chosen by the content of a film, as `venc run` makes them. The films have few frames, so that a probe
 * takes a second.
 */
const test = suite('ladders by content');
const { ffmpeg, ffprobe, measurer } = await testFfmpeg();
const folder = tempFolder();

async function make(name: string, ...args: readonly string[]): Promise<string> {
  await ffmpegRaw(...args, '-c:v', 'ffv1', '-pix_fmt', 'yuv420p', join(folder, name));
  return join(folder, name);
}

const film = await make(
  'film.mkv',
  ...['-f', 'lavfi', '-i', 'mandelbrot=s=640x360:r=8:end_pts=100,noise=alls=4:allf=t', '-t', '1'],
);

let count = 0;

/** The job of a `venc run`. */
async function runToEnd(words: readonly string[]): Promise<JobRecord> {
  const programs = ['--ffmpeg', ffmpeg.path, '--ffprobe', ffprobe.path];
  const args = ['run', ...words, '--progress', 'none', '--json', ...programs];
  const { stdout, stderr } = await runCli(args, { env: { HOME: folder } });
  assert.ok(stdout.startsWith('['), stderr);
  const [answer] = JSON.parse(stdout) as readonly { readonly job: JobRecord }[];
  if (answer === undefined) throw new Error(`no job in ${stdout}`);
  return answer.job;
}

/** Makes a ladder, and returns its job and its folder. */
async function ladderOf(input: string): Promise<{ readonly job: JobRecord; readonly out: string }> {
  count += 1;
  const out = join(folder, `out-${count}`);
  mkdirSync(out);
  return { job: await runToEnd([input, '--hls', out, '--ladder', 'auto', '--speed', '5']), out };
}

const outputOf = (job: JobRecord, label: string) =>
  job.output_media_files.find((output) => output.label === label);

if (measurer !== null) {
  test('the renditions have the sizes, bitrates and scores that were predicted', async () => {
    const { job, out } = await ladderOf(film);
    assert.is(job.state, 'finished', JSON.stringify(job));
    const { hull = [] } = outputOf(job, 'playlist') ?? {};
    const chosen = hull.filter(({ rendition }) => rendition !== null);
    assert.ok(chosen.length >= 2, JSON.stringify(hull));
    const { streams } = parsePlaylist(readFileSync(join(out, 'master.m3u8'), 'utf8'));
    assert.equal(
      streams.map(({ uri }) => uri).toSorted(),
      chosen.map(({ rendition }) => `v${rendition}/v${rendition}.m3u8`).toSorted(),
    );
    for (const { rendition, height, score } of [chosen[0], chosen.at(-1)].flatMap((one) => one ?? [])) {
      const output = outputOf(job, `v${rendition}`);
      assert.is(output?.height, height);
      assert.is(output?.quality, undefined);
      const measured = await independentVmaf(join(out, `v${rendition}`, `v${rendition}.m3u8`), film, folder);
      assert.ok(Math.abs(measured - score) <= 2.5, `rendition ${rendition}: ${measured} instead of ${score}`);
    }
    for (const output of job.output_media_files)
      if (output.state === 'skipped' && output.label !== 'audio')
        assert.match(output.warnings?.join() ?? '', /the ladder for this film has \d renditions?\./);
  });

  test('a request limits the renditions, and each is measured if it has a target', async () => {
    const request = join(folder, 'request.json');
    const urls = [1, 2, 3].map((number) => join(folder, `v${number}.mp4`));
    const body = {
      input: film,
      generate_dynamic_profile: true,
      dynamic_profile_options: { max_renditions: 2, max_resolution: { width: 426, height: 240 } },
      outputs: urls.map((path, index) => ({
        ...{ url: pathToFileURL(path).href, dynamic_profile_rendition: index + 1 },
        ...{ quality_target: 60, speed: 5 },
      })),
    };
    await writeFile(request, JSON.stringify(body));
    const job = await runToEnd([request]);
    assert.is(job.state, 'finished', JSON.stringify(job));
    const made = job.output_media_files.filter(({ state }) => state === 'finished');
    assert.ok(made.length >= 1 && made.length <= 2);
    assert.is(job.output_media_files[2]?.state, 'skipped');
    const reference = 'source';
    assert.ok(made.every(({ height, quality }) => (height ?? 0) <= 240 && quality?.reference === reference));
    const best = made.at(-1)?.quality?.mean ?? 0;
    assert.ok(Math.abs(best - (await independentVmaf(urls[made.length - 1] ?? '', film, folder))) <= 0.5);
  });

  test('a still film has a ladder', async () => {
    const still = await make('still.mkv', '-f', 'lavfi', '-i', 'color=teal:s=320x240:r=5', '-t', '1');
    const { job } = await ladderOf(still);
    assert.is(job.state, 'finished', JSON.stringify(job));
    assert.is(outputOf(job, 'v1')?.state, 'finished');
  });

  test('an input without video has a ladder of its audio', async () => {
    const tone = join(folder, 'tone.wav');
    await ffmpegRaw('-f', 'lavfi', '-i', 'sine=d=1', tone);
    const { job } = await ladderOf(tone);
    assert.equal(
      job.output_media_files.map(({ label, state }) => [label, state]),
      [
        ...[6, 5, 4, 3, 2, 1].map((number) => [`v${number}`, 'skipped']),
        ['audio', 'finished'],
        ['playlist', 'finished'],
      ],
    );
  });
}

test.run();
