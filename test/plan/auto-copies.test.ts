import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AudioFacts, MediaFacts, VideoFacts } from '../../daemon/jobs/media.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths, videoFacts } from './facts.js';

/** The streams that an output copies, by the arguments of ffmpeg, and its warnings. */
function copied(
  settings: OutputSettings,
  media: MediaFacts = mediaFacts(),
  name = 'film.mp4',
): { readonly streams: string; readonly warnings: readonly string[] } {
  const auto = { copy_video: 'auto', copy_audio: 'auto', ...settings } as const;
  const { steps, products, rejections } = plan([output(auto, name)], media, paths, newCapabilities);
  assert.equal(rejections, []);
  const args = steps.map((step) => step.args.join(' ')).join('\n');
  const has = (pattern: RegExp, word: string) => (pattern.test(args) ? [word] : []);
  const streams = [...has(/-c:v(?::0)? copy/, 'video'), ...has(/-c:a(?::0)? copy/, 'audio')].join('+');
  return { streams, warnings: products[0]?.warnings ?? [] };
}

test('streams that are as requested are copied, and the warnings say so', () => {
  assert.equal(copied({}), {
    streams: 'video+audio',
    warnings: [
      'The video is copied, because it already is as requested.',
      'The audio is copied, because it already is as requested.',
    ],
  });
});

/** Settings, and the stream that they do not change. */
const asRequested: readonly OutputSettings[] = [
  { width: 1280, height: 720 },
  { width: 4000 },
  { frame_rate: 25 },
  { max_frame_rate: 30 },
  { video_bitrate: 2000 },
  { max_video_bitrate: 2500, quality: 5 },
  { h264_profile: 'high', h264_level: '4' },
  { audio_sample_rate: 48_000, audio_channels: 2, audio_bitrate: 128 },
  { clip_length: 5 },
];

for (const settings of asRequested) {
  test(`${JSON.stringify(settings)} does not change the input, so it is copied`, () => {
    const video = videoFacts({ profile: 'High', level: 40 });
    assert.is(copied(settings, mediaFacts({ video })).streams, 'video+audio');
  });
}

/** Settings, facts, the copied streams, and the property that differs. */
const changes: readonly (readonly [
  settings: OutputSettings,
  video: Partial<VideoFacts>,
  audio: Partial<AudioFacts>,
  streams: string,
  property: string,
])[] = [
  [{ width: 640 }, {}, {}, 'audio', 'size'],
  [{}, { codec: 'hevc' }, {}, 'audio', 'codec'],
  [{}, { rotationDegrees: 90 }, {}, 'audio', 'rotation'],
  [{}, { pixelFormat: 'yuv422p' }, {}, 'audio', 'pixel format'],
  [{}, { pixelFormat: 'yuv420p', colourRange: 'full' }, {}, 'audio', 'colours'],
  [{}, { fieldOrder: 'top-first' }, {}, 'audio', 'fields'],
  [{}, { width: 1279 }, {}, 'audio', 'size'],
  [{ frame_rate: 24 }, {}, {}, 'audio', 'frame rate'],
  [{ max_frame_rate: 20 }, {}, {}, 'audio', 'frame rate'],
  [{ frame_rate: 25 }, { isFrameRateVariable: true }, {}, 'audio', 'frame rate'],
  [{ video_bitrate: 1900 }, {}, {}, 'audio', 'bitrate'],
  [{ max_video_bitrate: 2500 }, { bitrateKbps: null }, {}, 'audio', 'bitrate'],
  [{ bitrate_cap: 9000 }, {}, {}, 'audio', 'bitrate'],
  [{ keyframe_interval: 250 }, {}, {}, 'audio', 'keyframes'],
  [{ flip: 'horizontal' }, {}, {}, 'audio', 'filters'],
  [{ h264_profile: 'main' }, { profile: 'High' }, {}, 'audio', 'profile'],
  [{ video_codec_level: '3' }, {}, {}, 'audio', 'level'],
  [{ video_codec_level: '3.1' }, { level: 40 }, {}, 'audio', 'level'],
  [{}, {}, { codec: 'mp3' }, 'video', 'codec'],
  [{}, {}, { channels: 6 }, 'video', 'channels'],
  [{ audio_channels: 1 }, {}, {}, 'video', 'channels'],
  [{ audio_sample_rate: 44_100 }, {}, {}, 'video', 'sample rate'],
  [{ audio_bitrate: 112 }, {}, {}, 'video', 'bitrate'],
  [{ audio_gain: 3 }, {}, {}, 'video', 'effects'],
  [{ start_clip: 5 }, {}, {}, '', 'start'],
];

for (const [settings, video, audio, streams, property] of changes) {
  const input = { ...video, ...audio };
  test(`${JSON.stringify(settings)} of ${JSON.stringify(input)} changes the ${property}, so only ${streams || 'nothing'} is copied`, () => {
    const media = mediaFacts({ video: videoFacts(video), audio: audioFacts(audio) });
    const result = copied(settings, media);
    assert.is(result.streams, streams);
    assert.ok(
      result.warnings.some(
        (text) => / is encoded, because .* different: /.test(text) && text.includes(property),
      ),
      result.warnings.join('\n'),
    );
  });
}

test('one stream may be left to decide, and containers without times are encoded', () => {
  assert.is(copied({ copy_audio: false }).streams, 'video');
  assert.is(copied({ copy_video: false }).streams, 'audio');
  assert.is(copied({ copy_video: true, width: 640 }).streams, 'video+audio');
  assert.is(copied({}, mediaFacts({ format: 'avi' })).streams, '');
  assert.is(copied({}, mediaFacts({ audio: null })).streams, 'video');
  assert.is(copied({}, mediaFacts(), 'a.m4a').streams, 'audio');
});

test.run();
