import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import { draftJob } from '../../daemon/jobs/draft.js';
import type { Job } from '../../daemon/jobs/job.js';
import type { Run } from '../../daemon/jobs/run.js';
import { extractThumbnails } from '../../daemon/pipeline/extract-thumbnails.js';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encodedAndProbed, encoders, frames } from '../plan/encoded.js';

/*
 * The luma of each of the 60 input frames, 20 per second, is 20 plus three times its number. So the luma of a thumbnail identifies its frame,
 * and the frame times of the output file, as ffprobe prints them, give the expected frame.
 */

const folder = tempFolder();
const rate = 20;
const videoSeconds = 3;
const pixels = 64 * 64;

/** Inputs by the duration of their audio in seconds; null for none. */
const audioSeconds = { 'as long': 3, longer: 8, shorter: 1.3, none: null } as const;
type AudioKind = keyof typeof audioSeconds;

async function input(audio: AudioKind): Promise<string> {
  const path = join(folder, `${audio}.mkv`);
  const seconds = audioSeconds[audio];
  const drawn = `color=black:size=64x64:rate=${rate}:duration=${videoSeconds},format=yuv420p,geq=lum=20+N*3:cb=128:cr=128`;
  const tone = seconds === null ? [] : ['-f', 'lavfi', '-i', `sine=duration=${seconds}:sample_rate=44100`];
  const codecs = ['-c:v', 'ffv1', '-color_range', 'tv', '-c:a', 'pcm_s16le'];
  await makeMedia(path, ['-f', 'lavfi', '-i', drawn, ...tone, ...codecs]);
  return path;
}

const inputs = new Map<AudioKind, string>();
for (const audio of Object.keys(audioSeconds) as AudioKind[]) inputs.set(audio, await input(audio));

/** Every container with every supported video codec. */
const kinds: readonly (readonly [string, OutputSettings])[] = [
  ['a.mp4', {}],
  ['a.m4v', {}],
  ['a.mov', {}],
  ['a.3gp', {}],
  ['a.mkv', {}],
  ['a.webm', {}],
  ['a.flv', {}],
  ['a.ts', {}],
  ['a.ogv', {}],
  ['a.ogg', { video_codec: 'theora' }],
  ['a.mp4', { video_codec: 'hevc' }],
  ['a.mp4', { video_codec: 'vp9' }],
  ['a.mp4', { video_codec: 'av1' }],
  ['a.mov', { video_codec: 'hevc' }],
  ['a.mkv', { video_codec: 'hevc' }],
  ['a.mkv', { video_codec: 'vp8' }],
  ['a.mkv', { video_codec: 'theora' }],
  ['a.mkv', { video_codec: 'vp9' }],
  ['a.mkv', { video_codec: 'av1' }],
  ['a.webm', { video_codec: 'vp9' }],
  ['a.webm', { video_codec: 'av1' }],
  ['a.ts', { video_codec: 'hevc' }],
];

/** The start time of each frame of a file, and the length of the file, both relative to its start. */
async function timesOf(path: string): Promise<{ frames: readonly number[]; seconds: number }> {
  const show = ['-show_entries', 'format=start_time,duration:frame=best_effort_timestamp_time'];
  const args = ['-v', 'error', '-select_streams', 'v', ...show, '-of', 'json', `file:${path}`];
  const { stdout } = await promisify(execFile)((await testFfmpeg()).ffprobe.path, args);
  const found = JSON.parse(stdout) as {
    frames: readonly { best_effort_timestamp_time: string }[];
    format: { start_time: string; duration: string };
  };
  const start = Number(found.format.start_time);
  return {
    frames: found.frames.map((frame) => Number(frame.best_effort_timestamp_time) - start),
    seconds: Number(found.format.duration),
  };
}

/** A run that provides only a signal and records changes. */
function runOf(job: Job): Run {
  const change: Run['change'] = async (what) => {
    if (what.type === 'output-failed') throw new Error(`${what.failure.errorClass}: ${what.failure.message}`);
    return job;
  };
  const waiting: Run['whileWaiting'] = (turn) => turn;
  return { job, signal: new AbortController().signal, change, whileWaiting: waiting, progress: () => {} };
}

const lumaOf = (bytes: Uint8Array | undefined) => bytes?.[32 * 64 + 32] ?? Number.NaN;
// Thumbnails have full range, and the test pattern has limited range.
const numberOf = (luma: number) => (16 + (luma * 219) / 255 - 20) / 3;

/** An encoded output, with the numbers and times of its frames. */
async function filmOf(ffmpeg: Ffmpeg, from: string, name: string, settings: OutputSettings) {
  const { path, facts } = await encodedAndProbed(ffmpeg, from, { ...settings, quality: 5, speed: 5 }, name);
  const numbers = (await frames(ffmpeg, path, pixels)).map((bytes) => numberOf(lumaOf(bytes)));
  return { path, facts, numbers, ...(await timesOf(path)) };
}

/**
 * The frame numbers that the thumbnails of an output show, and those that the output shows at their times, for several sets by their number
 * of thumbnails.
 */
async function shown(ffmpeg: Ffmpeg, film: Awaited<ReturnType<typeof filmOf>>, numbers: readonly number[]) {
  const settings = { thumbnails: numbers.map((number) => ({ number, label: `of-${number}` })) };
  const outputs = [{ settings, outputDestination: { destination: 'file:///a', url: 'file:///a' } }];
  const request = { input: 'file:///in.mkv', outputs: [settings] };
  const job = draftJob({ accountId: 'a', request, test: false, outputs, now: new Date(0) }).number(1);
  const [output] = job.outputs;
  assert.ok(output);
  const { path, facts: media } = film;
  const product = {
    outputId: 3,
    path,
    expectedSeconds: null,
    contentSeconds: null,
    maxSeconds: null,
    warnings: [],
    video: null,
    audio: [],
  };
  const encoded = { product, media };
  const task = { output, encoded, source: media, scratch: tempFolder(), destinations: new Map() };
  const files = (await extractThumbnails(runOf(job), { ffmpeg }, task))?.thumbnails ?? [];
  const thumbnails = tempFolder();
  for (const [index, file] of files.entries()) await copyFile(file.path, join(thumbnails, `${index}.png`));
  // Decoded by the first build, because a build must not verify its own output.
  const taken = await frames(await testFfmpeg(), join(thumbnails, '%d.png'), pixels, ['-f', 'image2']);
  const found = taken.map((bytes) => numberOf(lumaOf(bytes)));
  let before = 0;
  return numbers.map((number) => {
    const from = before;
    before += number;
    const target = Array.from({ length: number }, (_, index) => {
      const moment = ((index + 1) * film.seconds) / (number + 1);
      const at = film.frames.findLastIndex((begin) => begin <= moment + 0.002);
      return film.numbers[Math.max(0, at)] ?? Number.NaN;
    });
    return { number, found: found.slice(from, before), target };
  });
}

const rounded = (numbers: readonly number[]) => numbers.map((one) => one.toFixed(1)).join();

for (const [build, ffmpeg] of await encoders()) {
  const { capabilities } = ffmpeg;
  // The libaom of 2018 takes half a minute for one of these.
  const isTooSlow = ({ video_codec }: OutputSettings) =>
    video_codec === 'av1' && !capabilities.encoders.has('libsvtav1');
  const canMake = ([name, settings]: (typeof kinds)[number]) =>
    checkCombination(settings, name, capabilities, 'output').ok && !isTooSlow(settings);

  for (const [name, settings] of kinds.filter(canMake)) {
    // Other codecs in a container differ from its default ones only in the end of the file.
    const own = Object.keys(settings).length === 0;
    for (const audio of own ? inputs.keys() : (['longer'] as const)) {
      test(`${build}: thumbnails of ${name} with ${JSON.stringify(settings)} and audio that is ${audio} show the frames at their times`, async () => {
        const film = await filmOf(ffmpeg, inputs.get(audio) ?? '', name, settings);
        for (const { number, found, target } of await shown(ffmpeg, film, [1, 7, 70])) {
          const isNear = found.every((one, at) => Math.abs(one - (target[at] ?? -9)) < 1.5);
          const what = `${number} showed ${rounded(found)}, not ${rounded(target)}`;
          assert.ok(found.length === number && isNear, what);
        }
      });
    }
  }
}

test.run();
