import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { makeMedia, media, testFfmpeg } from '../helpers/media.js';
import { tempFolder } from '../helpers/temp.js';
import { encoded, encoders } from '../plan/encoded.js';
import { encodedFile } from './video-harness.js';

const launch = promisify(execFile);
const input = await media('clip.mp4');
/** The left half is black and the right half is white, in limited range. */
const halves = join(tempFolder(), 'halves.mp4');
await makeMedia(halves, [
  ...['-f', 'lavfi', '-i', 'color=black:s=64x72:d=1[a];color=white:s=64x72:d=1[b];[a][b]hstack'],
  ...['-c:v', 'libx264', '-crf', '1', '-pix_fmt', 'yuv420p', '-color_range', 'tv'],
]);
const small = {
  width: 128,
  height: 72,
  skip_audio: true,
  speed: 5,
  clip_length: 0.2,
} as const satisfies OutputSettings;

type Streams = readonly Readonly<Record<string, unknown>>[];

async function streamsOf(path: string): Promise<Streams> {
  const { ffprobe } = await testFfmpeg();
  const { stdout } = await launch(ffprobe.path, ['-v', 'error', '-show_streams', '-of', 'json', path]);
  return (JSON.parse(stdout) as { streams: Streams }).streams;
}

/** The samples of luma of the first frame, as the file stores them. */
async function lumaOf(path: string): Promise<Buffer> {
  const { ffmpeg } = await testFfmpeg();
  const args = ['-v', 'error', '-i', path, '-frames:v', '1', '-vf', 'extractplanes=y', '-f', 'rawvideo', '-'];
  const { stdout } = await launch(ffmpeg.path, args, { encoding: 'buffer' });
  return stdout;
}

/** Settings, and the fields of the stream that they must lead to. */
const fields: readonly (readonly [OutputSettings, Readonly<Record<string, unknown>>])[] = [
  [{ video_bit_depth: 8 }, { profile: 'High', pix_fmt: 'yuv420p' }],
  [{ video_bit_depth: 10 }, { profile: 'High 10', pix_fmt: 'yuv420p10le' }],
  [
    { video_codec: 'hevc', video_bit_depth: 10 },
    { profile: 'Main 10', pix_fmt: 'yuv420p10le' },
  ],
  [{ video_codec: 'hevc', video_bit_depth: 12 }, { pix_fmt: 'yuv420p12le' }],
  [
    { video_codec: 'vp9', video_bit_depth: 12 },
    { profile: 'Profile 2', pix_fmt: 'yuv420p12le' },
  ],
  [
    { video_codec: 'vp9', video_codec_profile: '3', video_bit_depth: 12 },
    { profile: 'Profile 3', pix_fmt: 'yuv444p12le' },
  ],
  [
    { video_codec: 'av1', video_codec_profile: 'main' },
    { profile: 'Main', pix_fmt: 'yuv420p' },
  ],
  [
    { video_codec: 'av1', video_bit_depth: 10 },
    { profile: 'Main', pix_fmt: 'yuv420p10le' },
  ],
  [
    { video_codec: 'av1', video_codec_profile: 'high' },
    { profile: 'High', pix_fmt: 'yuv444p' },
  ],
  [
    { video_codec: 'av1', video_codec_profile: 'professional' },
    { profile: 'Professional', pix_fmt: 'yuv422p10le' },
  ],
];

for (const [build, ffmpeg] of await encoders()) {
  for (const [settings, expected] of fields) {
    test(`${build}: ${JSON.stringify(settings)} makes a stream with ${JSON.stringify(expected)}`, async () => {
      const combination = checkCombination(settings, 'film.mp4', ffmpeg.capabilities, 'output');
      assert.ok(combination.ok, JSON.stringify(combination));
      const { path } = await encoded(ffmpeg, input, { ...small, ...settings });
      const [stream] = await streamsOf(path);
      for (const [name, value] of Object.entries(expected)) assert.is(stream?.[name], value, name);
    });
  }

  for (const video_codec of ['h264', 'hevc'] as const) {
    test(`${build}: ${video_codec} in full range has 255 for the same white as 235, and says so`, async () => {
      const found: unknown[] = [];
      for (const video_color_range of ['limited', 'full'] as const) {
        const settings = { ...small, video_codec, video_color_range, quality: 5 } as const;
        const { path } = await encoded(ffmpeg, halves, settings);
        const [stream] = await streamsOf(path);
        const luma = await lumaOf(path);
        const at = (x: number) => luma[36 * 128 + x] ?? 0;
        found.push([stream?.color_range, Math.round(at(32) / 4), Math.round(at(96) / 4)]);
      }
      assert.equal(found, [
        ['tv', 4, 59],
        ['pc', 0, 64],
      ]);
    });
  }

  test(`${build}: a watermark keeps 10 bits and full range`, async () => {
    const image = { path: await media('image.png'), demuxer: 'png_pipe', width: 64, height: 48 } as const;
    const settings = {
      ...small,
      video_codec: 'hevc',
      video_bit_depth: 10,
      video_color_range: 'full',
      watermark: [{ url: 'file:///image.png', x: { value: 0, unit: 'pixels', isFromFarEdge: false } }],
    } as const;
    const path = await encodedFile(ffmpeg, halves, settings, [image]);
    const [stream] = await streamsOf(path);
    assert.equal([stream?.profile, stream?.pix_fmt, stream?.color_range], ['Main 10', 'yuv420p10le', 'pc']);
    const luma = await lumaOf(path);
    assert.ok(luma.readUInt16LE(2 * (36 * 128 + 120)) > 1015, 'white is white');
  });

  test(`${build}: hint tracks are there for each stream`, async () => {
    const settings = { ...small, skip_audio: false, hint: true };
    for (const name of ['film.mp4', 'film.mov', 'film.3gp', 'film.m4v']) {
      const { path } = await encoded(ffmpeg, input, settings, name);
      const tags = (await streamsOf(path)).map((stream) => String(stream.codec_tag_string).trim());
      assert.equal(tags.filter((tag) => tag === 'rtp').length, 2, `${name}: ${tags}`);
      const plain = await encoded(ffmpeg, input, { ...settings, hint: false }, name);
      assert.is((await streamsOf(plain.path)).length, 2);
    }
  });
}

test.run();
