import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listUnavailableSettings } from '../../daemon/plan/list-unavailable-settings.js';
import { plan } from '../../daemon/plan/plan.js';
import type { Plan } from '../../daemon/plan/plan-types.js';
import { fileArgument, safeInputArgs } from '../../daemon/plan/safe-input.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths, videoFacts, without } from './facts.js';

function planOf(settings: OutputSettings, media = mediaFacts(), filename = 'film.mp4'): Plan {
  return plan([output(settings, filename)], media, paths, newCapabilities);
}

const rejectionOf = (made: Plan) => made.rejections[0]?.failure.errorClass;
const silent = mediaFacts({ audio: null });
const blind = mediaFacts({ video: null });

test('a product has the path of the file and its expected content', () => {
  const part = { isCopied: false, startSeconds: 0, lengthSeconds: 4 } as const;
  assert.equal(planOf({ clip_length: 4 }), {
    ...planOf({ clip_length: 4 }),
    products: [
      {
        outputId: 7,
        path: '/scratch/output-7.mp4',
        expectedSeconds: 4,
        isClip: true,
        contentSeconds: 4,
        maxSeconds: 5,
        warnings: [],
        sources: {
          video: { ...part, stream: `${paths.input}:0`, unitsPerRead: 1, unitsPerSecond: 25 },
          audio: [{ ...part, stream: `${paths.input}:1`, unitsPerRead: 1, unitsPerSecond: 48_000 }],
        },
        video: { codec: 'h264', width: 1280, height: 720, frameSeconds: 0.04, frames: null },
        audio: [{ codec: 'aac', channels: 2, sampleRate: 48_000 }],
        origins: { video: [0], audio: [1], subtitles: [], leftOut: [] },
      },
    ],
    rejections: [],
  });
});

test('an input without audio or video makes an output without it', () => {
  assert.equal(planOf({}, silent).products[0]?.audio, []);
  assert.is(planOf({}, blind).products[0]?.video, null);
});

test('a clip that begins after the last frame is an error of the settings', () => {
  const late = mediaFacts({
    durationSeconds: 60.03,
    video: videoFacts({ durationSeconds: 60 }),
    audio: audioFacts({ durationSeconds: 60 }),
  });
  const { rejections } = planOf({ start_clip: 60.01 }, late);
  assert.is(rejections[0]?.failure.errorClass, 'InvalidVideoSettingsError');
});

test('an output without video and audio is rejected', () => {
  assert.is(rejectionOf(planOf({ skip_video: true }, silent)), 'NoMediaError');
  assert.is(rejectionOf(planOf({ skip_audio: true }, blind)), 'NoMediaError');
  assert.is(rejectionOf(planOf({}, silent, 'audio.mp3')), 'NoMediaError');
  assert.is(rejectionOf(planOf({}, mediaFacts({ audio: null, video: null }))), 'NoMediaError');
});

test('a rejected output does not affect the others', () => {
  const outputs = [
    { ...output({ start_clip: 90 }), id: 1 },
    { ...output({}), id: 2 },
    { ...output({ audio_bitrate: 304, audio_channels: 1, strict: true }), id: 3 },
  ];
  const made = plan(outputs, mediaFacts(), paths, newCapabilities);
  assert.equal(
    made.rejections.map(({ outputId, failure }) => [outputId, failure.errorClass]),
    [
      [1, 'InvalidVideoSettingsError'],
      [3, 'InvalidAudioSettingsError'],
    ],
  );
  assert.equal(
    made.steps.map(({ outputIds }) => outputIds),
    [[2]],
  );
});

test('an encoder that was removed since the job was created is an error of that output', () => {
  const made = plan([output()], mediaFacts(), paths, without('libx264'));
  assert.equal(made.rejections, [
    {
      outputId: 7,
      failure: {
        errorClass: 'InvalidCodecCombinationError',
        message: 'output.video_codec h264 cannot be encoded by this ffmpeg.',
      },
    },
  ]);
});

test('a stream that ended before the clip is omitted', () => {
  const media = mediaFacts({ video: videoFacts({ durationSeconds: 20 }), audio: audioFacts() });
  const { products } = planOf({ start_clip: 30 }, media);
  assert.equal([products[0]?.video, products[0]?.audio[0]?.codec], [null, 'aac']);
});

const steps: readonly (readonly [string, OutputSettings, number])[] = [
  ['a quality needs one pass', { quality: 4 }, 1],
  ['a bitrate needs two passes', { video_bitrate: 500 }, 2],
  ['a bitrate without video needs no second pass', { video_bitrate: 500, skip_video: true }, 1],
];

for (const [name, settings, count] of steps) {
  test(`${name}, and the progress weights add up to 1`, () => {
    const made = planOf(settings);
    assert.is(made.steps.length, count);
    const sum = made.steps.reduce((total, { progressWeight: share }) => total + share, 0);
    assert.ok(Math.abs(sum - 1) < 1e-9);
    assert.ok(made.steps.every(({ durationSeconds }) => durationSeconds === 60));
  });
}

test('every step reads only local files, and only the input by its own path', () => {
  for (const { args } of planOf({ video_bitrate: 500 }).steps) {
    assert.is(args[args.indexOf('-protocol_whitelist') + 1], 'file,pipe');
    assert.ok(args.includes('-format_whitelist') && args.includes('-max_pixels'));
    assert.is(args[args.indexOf('-i') + 1], 'file:/in/input');
  }
  assert.is(fileArgument('http:x'), 'file:http:x');
  assert.equal(safeInputArgs('/a b').slice(-2), ['-i', 'file:/a b']);
});

test('settings that an ffmpeg does not support are listed by name', () => {
  const filters = new Set([...newCapabilities.filters, 'zscale', 'tonemap']);
  const all = listUnavailableSettings({ ...newCapabilities, filters });
  assert.equal(all, [
    'video_codec jp2: JPEG 2000 is not supported.',
    'video_codec vp6: ffmpeg has no VP6 encoder; use h264, which .flv also supports.',
  ]);
  const poor = listUnavailableSettings({ ...without('libvpx', 'aac'), filters: new Set() });
  assert.ok(poor.includes('video_codec vp8: it has no encoder libvpx.'));
  assert.ok(poor.includes('audio_codec aac: it has none of the encoders libfdk_aac, aac.'));
  assert.ok(poor.includes('deinterlace: it has neither the filter bwdif nor yadif.'));
  assert.ok(
    poor.some((sentence) => sentence.startsWith('HDR inputs: it lacks the filter zscale or tonemap')),
  );
  assert.ok(poor.some((sentence) => sentence.includes('has the filter libvmaf')));
  const bare = listUnavailableSettings({ ...newCapabilities, muxers: new Set(['mp4']) });
  assert.ok(bare.includes('.webm: it has no muxer webm.'));
});

test.run();
