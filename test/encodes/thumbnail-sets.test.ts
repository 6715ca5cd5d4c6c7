import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Ffmpeg } from '../../daemon/ffmpeg/index.js';
import { planThumbnails } from '../../daemon/plan/thumbnails.js';
import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';
import { makeMedia, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoders, factsOf, frames } from '../plan/encoded.js';

/*
 * The luma of each frame of the videos is 20 plus twice its number, so that the luma in the middle of a thumbnail identifies its frame. The
 * sizes of the images are read with ffprobe.
 */

const folder = tempFolder();
const counter = 'color=black:size=64x48:rate=25:duration=4,format=yuv420p,geq=lum=20+N*2:cb=128:cr=128';
const codecs = {
  mp4: ['-c:v', 'libx264', '-crf', '1', '-pix_fmt', 'yuv420p', '-color_range', 'tv', '-g', '10'],
  ogv: ['-c:v', 'libtheora', '-q:v', '10'],
} as const;

async function videoOf(extension: keyof typeof codecs): Promise<string> {
  const path = join(folder, `a.${extension}`);
  if (!existsSync(path)) await makeMedia(path, ['-f', 'lavfi', '-i', counter, ...codecs[extension]]);
  return path;
}

interface Image {
  readonly frame: number;
  readonly size: string;
  readonly codec: string;
}

async function imagesOf(ffmpeg: Ffmpeg, path: string, set: ThumbnailSettings): Promise<readonly Image[]> {
  const scratch = tempFolder();
  const media = await factsOf(ffmpeg, path);
  const made = planThumbnails(
    {
      outputId: 7,
      path,
      media,
      set,
      setIndex: 2,
      inputFrameRate: media.video?.frameRate ?? null,
      keyframeInterval: 10,
    },
    ffmpeg.capabilities,
  );
  if ('failure' in made) throw new Error(made.failure.message);
  for (const args of made.runs)
    await ffmpeg.run(args, { signal: new AbortController().signal, scratch, onProgress: () => {} });
  const images = await readImages(made.images.map((name) => join(scratch, name)));
  for (const { size } of images) assert.is(size, `${made.size.width}x${made.size.height}`);
  return images;
}

/** Reads images of one format with the first build, because a build must not verify its own output. */
async function readImages(paths: readonly string[]): Promise<readonly Image[]> {
  const reference = await testFfmpeg();
  const numbered = tempFolder();
  const ending = extname(paths[0] ?? '');
  for (const [index, path] of paths.entries()) await copyFile(path, join(numbered, `${index}${ending}`));
  const all = join(numbered, `%d${ending}`);
  // The ending selects the decoder, which fails for an image of another format.
  const show = ['-v', 'error', '-show_entries', 'stream=codec_name:frame=width,height'];
  const { stdout } = await promisify(execFile)(reference.ffprobe.path, [
    ...[...show, '-of', 'json', '-f', 'image2', all],
  ]);
  const found = JSON.parse(stdout) as {
    frames: readonly { width: number; height: number }[];
    streams: readonly { codec_name: string }[];
  };
  assert.is(found.frames.length, paths.length);
  const [{ width, height } = { width: 0, height: 0 }] = found.frames;
  const lumas = await frames(reference, all, width * height, ['-f', 'image2']);
  assert.is(lumas.length, paths.length);
  return found.frames.map((frame, index) => {
    // From full range, as in an image, back to limited range.
    const middle = lumas[index]?.[Math.floor(height / 2) * width + Math.floor(width / 2)] ?? 0;
    return {
      frame: (16 + (middle * 219) / 255 - 20) / 2,
      size: `${frame.width}x${frame.height}`,
      codec: found.streams[0]?.codec_name ?? '',
    };
  });
}

/** The settings of a set, and the numbers of the frames, the size and the codec of its images. */
const cases: readonly (readonly [ThumbnailSettings, readonly number[], string?, string?])[] = [
  [{ number: 3 }, [25, 50, 75]],
  [{ number: 4, start_at_first_frame: true }, [0, 25, 50, 75]],
  [{ interval: 1 }, [25, 50, 75, 99]],
  [{ interval: 1.5, start_at_first_frame: true }, [0, 37, 75]],
  [{ interval: 100 }, [50]],
  [{ interval_in_frames: 30 }, [30, 60, 90]],
  [{ times: [3, 0, 1.5, 1.5, 4, 90] }, [75, 0, 37, 37, 99]],
  [
    { times: Array.from({ length: 24 }, (_, index) => index / 6) },
    Array.from({ length: 24 }, (_, index) => Math.floor((index / 6) * 25 + 0.01)),
  ],
  [{ format: 'jpg', number: 2 }, [33, 66], '64x48', 'mjpeg'],
  [{ width: 32 }, [50], '32x24'],
  [{ height: 24, format: 'jpg' }, [50], '32x24', 'mjpeg'],
  [{ width: 320 }, [50], '64x48'],
  [{ size: { width: 20, height: 20 } }, [50], '20x14'],
  [{ size: { width: 40, height: 20 }, width: 50, aspect_mode: 'stretch' }, [50], '40x20'],
  [{ size: { width: 40, height: 20 }, aspect_mode: 'crop' }, [50], '40x20'],
  [{ size: { width: 80, height: 100 }, aspect_mode: 'pad' }, [50], '80x100'],
  [{ size: { width: 80, height: 100 }, aspect_mode: 'crop' }, [50], '80x100'],
];

for (const [build, ffmpeg] of await encoders()) {
  for (const extension of ['mp4', 'ogv'] as const) {
    for (const [set, expected, size = '64x48', codec = 'png'] of cases) {
      test(`${build}: the thumbnails of .${extension} with ${JSON.stringify(set).slice(0, 80)}`, async () => {
        const images = await imagesOf(ffmpeg, await videoOf(extension), set);
        const found = images.map(({ frame }) => Math.round(frame * 10) / 10);
        const isNear = found.every((frame, index) => Math.abs(frame - (expected[index] ?? -9)) < 1.1);
        assert.ok(isNear && found.length === expected.length, `showed ${found}, not ${expected}`);
        assert.equal(new Set(images.map((image) => image.size)), new Set([size]));
        assert.equal(new Set(images.map((image) => image.codec)), new Set([codec]));
      });
    }
  }
}

test.run();
