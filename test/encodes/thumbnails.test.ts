import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import type { MediaFacts } from '../../daemon/jobs/media.js';
import { planThumbnails } from '../../daemon/plan/thumbnails.js';
import { makeMedia } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders } from '../plan/encoded.js';

/*
 * The luma of each input frame is 20 plus twice its number, so that the luma of a thumbnail identifies its frame.
 */

const folder = tempFolder();
const rate = 25;

/** The frame numbers that the thumbnails of a file show. */
async function shown(
  ffmpeg: Ffmpeg,
  path: string,
  number: number,
  { keyframeInterval, media }: { keyframeInterval?: number; media?: MediaFacts } = {},
): Promise<readonly number[]> {
  const scratch = tempFolder();
  const facts = media ?? (await ffmpeg.probe(path));
  const made = planThumbnails(
    { outputId: 7, path, media: facts, set: { number }, setIndex: 0, inputFrameRate: null, keyframeInterval },
    ffmpeg.capabilities,
  );
  if ('failure' in made) throw new Error(made.failure.message);
  const run = (args: readonly string[]) =>
    ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
  for (const args of made.runs) await run(args);
  assert.is(made.images.length, number);
  const raw = join(scratch, 'raw');
  const all = ['-f', 'image2', '-i', 'thumbnail-7-0-%04d.png', '-f', 'rawvideo', '-pix_fmt', 'gray', raw];
  await run(['-y', ...all]);
  const bytes = await readFile(raw);
  assert.is(bytes.length % (64 * 48), 0, 'in its size');
  const last = bytes.length / (64 * 48) - 1;
  return made.images.map((name) => {
    // Where FLV has no frame, the last one stays visible.
    const at = Math.min(Number(/(\d{4})\.png$/.exec(name)?.[1]), last);
    // From full range, as in a PNG, back to limited range.
    const luma = 16 + ((bytes[at * 64 * 48 + 24 * 64 + 32] ?? 0) * 219) / 255;
    return (luma - 20) / 2;
  });
}

/** The position of each moment in a video whose audio has the same duration, in frames. */
function expected(
  number: number,
  durationSeconds: number,
  startSeconds: number,
  count: number,
): readonly number[] {
  return Array.from({ length: number }, (_, index) => {
    const seconds = ((index + 1) * durationSeconds) / (number + 1) - startSeconds;
    return Math.min(Math.max(0, seconds * rate), count - 1);
  });
}

function near(found: readonly number[], target: readonly number[], lastSlack: number): void {
  const slack = (at: number) => (at === target.length - 1 ? lastSlack : 0.9);
  // Containers round times: a moment near the start of a frame may show the frame before.
  const isNear = found.every((one, at) =>
    [-0.1, 0.1].some((shift) => Math.abs(one - Math.floor((target[at] ?? -9) + shift)) < slack(at)),
  );
  const rounded = found.map((one) => Math.round(one * 10) / 10);
  assert.ok(isNear && found.length === target.length, `showed ${rounded.join()}, not ${target.join()}`);
}

const counter = (seconds: number) => [
  ...[
    '-f',
    'lavfi',
    '-i',
    `color=black:size=64x48:rate=${rate}:duration=${seconds},format=yuv420p,geq=lum=20+N*2:cb=128:cr=128`,
  ],
];
const h264 = ['-c:v', 'libx264', '-preset', 'fast', '-crf', '1', '-pix_fmt', 'yuv420p', '-color_range', 'tv'];
const kinds = {
  mp4: [...h264, '-c:a', 'aac'],
  mkv: [...h264, '-c:a', 'aac'],
  flv: [...h264, '-c:a', 'aac'],
  ts: [...h264, '-c:a', 'aac'],
  webm: ['-c:v', 'libvpx', '-b:v', '2M', '-qmax', '4', '-deadline', 'realtime', '-c:a', 'libvorbis'],
  ogv: ['-c:v', 'libtheora', '-q:v', '10', '-c:a', 'libvorbis'],
} as const;

for (const [build, ffmpeg] of await encoders()) {
  for (const [extension, codecs] of Object.entries(kinds)) {
    for (const [gap, number] of [
      [250, 1],
      [250, 40],
      [10, 5],
      [10, 12],
    ] as const) {
      test(`${build}: ${number} thumbnails of .${extension} with keyframes every ${gap} frames show the frames at their times`, async () => {
        const path = join(folder, `${gap}.${extension}`);
        const audio = ['-f', 'lavfi', '-i', 'sine=duration=4:sample_rate=48000'];
        if (!existsSync(path)) await makeMedia(path, [...counter(4), ...audio, ...codecs, '-g', String(gap)]);
        const media = await ffmpeg.probe(path);
        const start = Math.max(0, (media.video?.startSeconds ?? 0) - (media.audio?.startSeconds ?? 0));
        const found = await shown(ffmpeg, path, number, { keyframeInterval: gap });
        // FLV does not store the end of its video: a later moment gets the last frame.
        const lastSlack = extension === 'flv' ? 2.9 : 0.9;
        near(found, expected(number, media.durationSeconds ?? 0, start, 100), lastSlack);
      });
    }
  }
}

test.run();
