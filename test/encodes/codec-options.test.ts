import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { withDeviceProfile } from '../../daemon/plan/device-profiles.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { media, testFfmpeg } from '../helpers/media.js';
import { encoded, encodedAndProbed, encoders } from '../plan/encoded.js';

const launch = promisify(execFile);
const input = await media('clip.mp4');
const small = { width: 320, height: 180, skip_audio: true, speed: 5 } as const satisfies OutputSettings;

/** Fields of the video stream, as ffprobe reports them. */
async function streamOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { ffprobe } = await testFfmpeg();
  const args = ['-v', 'error', '-select_streams', 'v', '-show_streams', '-of', 'json', path];
  const { stdout } = await launch(ffprobe.path, args);
  const { streams } = JSON.parse(stdout) as { streams: readonly Readonly<Record<string, unknown>>[] };
  return streams[0] ?? {};
}

/** The options that x264 and x265 write into the stream. */
function encoderText(path: string): string {
  const text = readFileSync(path, 'latin1');
  return /(?:x264 - core|x265 \(build)[\x20-\x7e]+/.exec(text)?.[0] ?? '';
}

/** Settings, and the fields of the stream that they must lead to. */
const fields: readonly (readonly [OutputSettings, Readonly<Record<string, unknown>>])[] = [
  [{ h264_profile: 'baseline' }, { profile: 'Constrained Baseline', pix_fmt: 'yuv420p', has_b_frames: 0 }],
  [{ video_codec_profile: 'main' }, { profile: 'Main' }],
  [{ video_codec_profile: 'high' }, { profile: 'High' }],
  [{ h264_profile: 'high10' }, { profile: 'High 10', pix_fmt: 'yuv420p10le' }],
  [{ h264_profile: 'high422' }, { profile: 'High 4:2:2', pix_fmt: 'yuv422p10le' }],
  [{ h264_profile: 'high444' }, { profile: 'High 4:4:4 Predictive', pix_fmt: 'yuv444p' }],
  [{ h264_level: '4.1' }, { level: 41 }],
  // Too low: 240x180 at 15 frames per second has 180 macroblocks in a frame, and level 1 allows 99.
  [{ h264_level: '1', frame_rate: 15, upscale: true }, { level: 11 }],
  [{ video_bframes: 0 }, { has_b_frames: 0 }],
  [
    { video_codec: 'hevc', video_codec_profile: 'main10' },
    { profile: 'Main 10', pix_fmt: 'yuv420p10le' },
  ],
  [{ video_codec: 'hevc', video_codec_level: '4.1' }, { level: 123 }],
  // Too low: level 1 allows frames of 36,864 samples, and level 2 has the number 60.
  [{ video_codec: 'hevc', video_codec_level: '1', upscale: true }, { level: 60 }],
  [
    { video_codec: 'vp9', video_codec_profile: '2' },
    { profile: 'Profile 2', pix_fmt: 'yuv420p10le' },
  ],
];

/** Settings, and a part of the options that the encoder writes into the stream. */
const options: readonly (readonly [OutputSettings, RegExp])[] = [
  [{ video_reference_frames: 5 }, /\bref=5\b/],
  [{ h264_reference_frames: 0 }, /\bref=1\b/],
  [{ h264_bframes: 2 }, /\bbframes=2\b/],
  [{ crf: 30 }, /\bcrf=30/],
  [{ tuning: 'animation' }, /\bpsy_rd=0\.40/],
  [{ video_bitrate: 300, constant_bitrate: true }, /\bnal_hrd=cbr/],
  // The limits of level 1.3 with the profile baseline.
  [{ h264_level: '1.3', h264_profile: 'baseline' }, /vbv_maxrate=768 vbv_bufsize=2000/],
  [
    { h264_level: '1.1', h264_profile: 'baseline', video_bitrate: 5000, h264_reference_frames: 16 },
    /\bref=11 .*\bbitrate=192 .*vbv_maxrate=192/,
  ],
  [{ video_codec: 'hevc', video_reference_frames: 2, video_bframes: 1 }, /^(?=.*\bbframes=1\b).*\bref=2\b/],
  [{ video_codec: 'hevc', crf: 31 }, /\bcrf=31/],
];

for (const [build, ffmpeg] of await encoders()) {
  const canMake = ([settings]: readonly [OutputSettings, unknown]) =>
    checkCombination(settings, 'film.mp4', ffmpeg.capabilities, 'output').ok;
  for (const [settings, expected] of fields.filter(canMake)) {
    test(`${build}: ${JSON.stringify(settings)} makes a stream with ${JSON.stringify(expected)}`, async () => {
      const { path } = await encoded(ffmpeg, input, { ...small, ...settings });
      const stream = await streamOf(path);
      for (const [name, value] of Object.entries(expected)) assert.is(stream[name], value, name);
    });
  }

  for (const [settings, pattern] of options.filter(canMake)) {
    test(`${build}: ${JSON.stringify(settings)} reaches the encoder as ${pattern}`, async () => {
      const { path } = await encoded(ffmpeg, input, { ...small, ...settings });
      assert.match(encoderText(path), pattern);
    });
  }

  test(`${build}: crf is on one scale for all codecs, and needs fewer bits for higher values`, async () => {
    for (const video_codec of ['h264', 'vp8', 'vp9'] as const) {
      const name = video_codec === 'h264' ? 'film.mp4' : 'film.webm';
      const sizes: number[] = [];
      for (const crf of [20, 40]) {
        const { path } = await encoded(ffmpeg, input, { ...small, video_codec, crf }, name);
        sizes.push(readFileSync(path).byteLength);
      }
      assert.ok((sizes[0] ?? 0) > 1.5 * (sizes[1] ?? 0), `${video_codec}: ${sizes.join()}`);
    }
  });
}

test('a device profile gives settings that others override', () => {
  const advanced = withDeviceProfile({ device_profile: 'mobile/advanced', video_codec_level: '4' });
  assert.equal(
    [advanced.width, advanced.height, advanced.video_codec_profile, advanced.video_codec_level],
    [1280, 720, 'main', '4'],
  );
  const narrow = withDeviceProfile({ device_profile: 'mobile/advanced', width: 640 });
  assert.equal([narrow.width, narrow.height], [640, undefined]);
  const hevc = withDeviceProfile({ device_profile: 'mobile/baseline', video_codec: 'hevc' });
  assert.equal([hevc.video_codec_profile, hevc.max_video_bitrate], [undefined, 1500]);
  assert.is(
    withDeviceProfile({ device_profile: 'mobile/legacy', audio_quality: 5 }).audio_bitrate,
    undefined,
  );
});

test('the device profile mobile/baseline makes a file for old devices', async () => {
  const [[, ffmpeg] = [null, null]] = await encoders();
  assert.ok(ffmpeg);
  const settings = withDeviceProfile({ device_profile: 'mobile/baseline', speed: 5 });
  const { path, facts } = await encodedAndProbed(ffmpeg, input, settings);
  const stream = await streamOf(path);
  assert.is(stream.profile, 'Constrained Baseline');
  assert.ok(Number(stream.level) <= 30);
  assert.ok((facts.video?.width ?? 0) <= 480 && (facts.video?.height ?? 0) <= 320);
  assert.ok((facts.audio?.sampleRate ?? 0) <= 44_100);
});

test.run();
