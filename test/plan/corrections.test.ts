import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { withDeviceProfile, withoutProfileWarnings } from '../../daemon/plan/device-profiles.js';
import { ineffectiveSettings } from '../../daemon/plan/ineffective-settings.js';
import { plan } from '../../daemon/plan/plan.js';
import type { Plan } from '../../daemon/plan/plan-types.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { audioFacts, mediaFacts, newCapabilities, output, paths, videoFacts } from './facts.js';

function planOf(settings: OutputSettings, media = mediaFacts(), name = 'film.mp4'): Plan {
  return plan([output(settings, name)], media, paths, newCapabilities);
}

const argsOf = (made: Plan) => made.steps.map(({ args }) => args.join(' ')).join('\n');

test('options of an encoder are warnings for a stream that is copied, also in strict mode', () => {
  const settings: OutputSettings = {
    ...{ copy_video: true, copy_audio: true, strict: true },
    ...{ constant_bitrate: true, video_bframes: 3, h264_profile: 'baseline', video_bit_depth: 12 },
    ...{ force_aac_profile: 'he-aac', audio_bit_depth: 24, audio_bitrate: 16 },
  };
  const found = checkCombination(settings, 'a.mp4', newCapabilities, 'outputs[0]');
  assert.ok(found.ok);
  assert.equal(found.warnings, []);
  const warnings = ineffectiveSettings(settings, found, 'outputs[0]');
  assert.equal(
    new Set(warnings.map(({ field, message }) => `${field} ${message}`)),
    new Set([
      ...['audio_bit_depth', 'audio_bitrate', 'force_aac_profile'].map(
        (name) => `outputs[0].${name} has no effect: the audio is copied`,
      ),
      ...['constant_bitrate', 'h264_profile', 'video_bframes', 'video_bit_depth'].map(
        (name) => `outputs[0].${name} has no effect: the video is copied`,
      ),
    ]),
  );
  assert.not(checkCombination({ ...settings, copy_video: false }, 'a.mp4', newCapabilities, 'o').ok);
});

/** Settings for 1280x720 at 25 frames per second, the warnings, and what the arguments of ffmpeg have. */
const limited: readonly (readonly [OutputSettings, readonly string[], RegExp])[] = [
  [
    { h264_level: '3' },
    ['h264_level was corrected to 3.1: 1280x720 at 25 frames per second does not fit into 3.'],
    /-level:v 3.1/,
  ],
  [
    { height: 486, force_interlace_headers: true },
    ['force_interlace_headers was corrected to false: the height of 486 pixels is not a multiple of 4.'],
    /^(?!.*fake-interlaced)/,
  ],
  [
    { video_codec_level: '3.1', video_bitrate: 20_000 },
    ['video_bitrate was corrected to 17500: level 3.1 of H.264 has no higher bitrate.'],
    /-b:v 17500k/,
  ],
  [
    { video_codec_level: '3.1', video_codec_profile: 'main', bitrate_cap: 20_000, buffer_size: 30_000 },
    [
      'bitrate_cap was corrected to 14000: level 3.1 of H.264 has no higher bitrate.',
      'buffer_size was corrected to 14000: level 3.1 of H.264 has no larger buffer.',
    ],
    /-maxrate 14000k -bufsize 14000k/,
  ],
  [
    { video_codec_level: '3.1', h264_reference_frames: 8 },
    [
      'h264_reference_frames was corrected to 5: level 3.1 of H.264 has no more reference frames at 1280x720.',
    ],
    /-refs 5/,
  ],
  [
    { video_codec: 'hevc', video_codec_level: '2.1' },
    ['video_codec_level was corrected to 3.1: 1280x720 at 25 frames per second does not fit into 2.1.'],
    /level-idc=3.1/,
  ],
  [{ video_codec_level: '3.1', video_bitrate: 17_500, video_reference_frames: 5 }, [], /-b:v 17500k/],
  [{ video_codec_level: '3.1', max_video_bitrate: 90_000, bitrate_cap: 10_000 }, [], /-maxrate 10000k/],
];

for (const [settings, warnings, expected] of limited) {
  test(`${JSON.stringify(settings)} has ${warnings.length} corrections, which are errors in strict mode`, () => {
    const made = planOf(settings);
    assert.equal(made.products[0]?.warnings, warnings);
    assert.match(argsOf(made), expected);
    const [rejection] = planOf({ ...settings, strict: true }).rejections;
    assert.is(rejection?.failure.errorClass, warnings.length === 0 ? undefined : 'InvalidVideoSettingsError');
    const strictly = warnings.map((one) =>
      one.replace(/ was corrected to (\S+):/, ' would be corrected to $1, but strict is set:'),
    );
    assert.is(rejection?.failure.message ?? '', strictly.join(' '));
  });
}

test('a ceiling of a device profile does not lower what the request asks for', () => {
  const given = { device_profile: 'mobile/baseline', video_bitrate: 9000, frame_rate: 60 } as const;
  const settings = withDeviceProfile({ ...given, audio_sample_rate: 48_000 });
  const ceilings = [settings.max_video_bitrate, settings.max_frame_rate, settings.max_audio_sample_rate];
  assert.equal(ceilings, [undefined, undefined, undefined]);
  assert.is(withDeviceProfile({ ...given, max_frame_rate: 20 }).max_frame_rate, 20);
});

test('a constant bitrate has a buffer of one second, or buffer_size', () => {
  const constant = { constant_bitrate: true, video_bitrate: 800 };
  assert.match(argsOf(planOf(constant)), /-minrate 800k -maxrate 800k -bufsize 800k/);
  assert.match(argsOf(planOf({ ...constant, bitrate_cap: 2000 })), /-maxrate 800k -bufsize 800k/);
  assert.match(argsOf(planOf({ ...constant, buffer_size: 400 })), /-bufsize 400k/);
  assert.match(argsOf(planOf({ ...constant, video_codec: 'hevc', buffer_size: 400 })), /vbv-bufsize=400/);
  // A level lowers it.
  assert.match(argsOf(planOf({ ...constant, h264_level: '3.1', buffer_size: 90_000 })), /-bufsize 17500k/);
});

/** The validation errors of a request in strict mode, and its warnings otherwise. */
function checked(settings: OutputSettings): {
  readonly strict: readonly string[];
  readonly warnings: number;
} {
  const check = (one: OutputSettings) => checkCombination(one, 'a.mp4', newCapabilities, 'outputs[0]');
  const [lax, strict] = [check(settings), check({ ...settings, strict: true })];
  const errors = strict.ok
    ? strict.warnings.flatMap((one) => one.strictError ?? [])
    : strict.validationErrors;
  return { strict: errors, warnings: lax.ok ? lax.warnings.length : -1 };
}

test('a level that is too low for the requested size and frame rate is an error of a strict request', () => {
  const size = { width: 1920, height: 1080 };
  assert.equal(checked({ ...size, frame_rate: 60, h264_level: '4' }), {
    strict: ['outputs[0].h264_level must be at least 4.2 for 1920x1080 at 60 frames per second'],
    warnings: 0,
  });
  assert.equal(checked({ ...size, video_codec_level: '3.1' }).strict, [
    'outputs[0].video_codec_level must be at least 4 for 1920x1080',
  ]);
  assert.equal(checked({ ...size, video_codec: 'hevc', video_codec_level: '3' }).strict, [
    'outputs[0].video_codec_level must be at least 4 for 1920x1080',
  ]);
  assert.equal(checked({ ...size, frame_rate: 60, max_frame_rate: 30, h264_level: '4' }).strict, []);
  assert.equal(checked({ width: 1920, h264_level: '1' }).strict, []);
});

test('an odd side is corrected, or an error in strict mode', () => {
  assert.equal(checked({ width: 641, height: 361 }), {
    strict: ['must be even, as the sides of a video are', 'must be even, as the sides of a video are'],
    warnings: 2,
  });
  assert.equal(checked({ width: 640, height: 360 }), { strict: [], warnings: 0 });
});

test('B-frames of the profile baseline are reported under the name that was sent', () => {
  const settings = { h264_profile: 'baseline', h264_bframes: 2 } as const;
  const found = checkCombination(settings, 'a.mp4', newCapabilities, 'outputs[0]');
  assert.is(found.ok && found.warnings[0]?.field, 'outputs[0].h264_bframes');
});

/** The warnings of a create about the settings of a device profile. */
function profileWarnings(given: OutputSettings, name: string): readonly string[] {
  const settings = withDeviceProfile(given);
  const found = checkCombination(settings, name, newCapabilities, 'outputs[0]');
  assert.ok(found.ok);
  return withoutProfileWarnings(found.warnings, given, 'outputs[0]').map(
    ({ field, message, strictError }) => `${field} ${message}${strictError === undefined ? '' : ' (strict)'}`,
  );
}

test('a target of the bitrate or quality that another one overrides is a warning, and an error in strict mode', () => {
  assert.equal(profileWarnings({ crf: 20, quality: 3 }, 'a.mp4'), [
    'outputs[0].quality has no effect with crf (strict)',
  ]);
  assert.equal(profileWarnings({ crf: 20, quality: 3 }, 'a.ogv'), [
    'outputs[0].crf has no effect: this codec has no constant rate factor, so quality applies',
  ]);
  assert.equal(profileWarnings({ crf: 20, quality: 3, video_bitrate: 500 }, 'a.mp4'), [
    'outputs[0].crf has no effect with video_bitrate (strict)',
  ]);
  assert.equal(profileWarnings({ quality_target: 90, crf: 20, quality: 3 }, 'a.mp4'), [
    'outputs[0].crf has no effect with quality_target (strict)',
    'outputs[0].quality has no effect with quality_target (strict)',
  ]);
});

test('a constant bitrate of AAC is a warning about silence, unless the quality overrides it', () => {
  const constant = { audio_bitrate: 96, audio_constant_bitrate: true } as const;
  assert.equal(profileWarnings(constant, 'a.mp4'), [
    'outputs[0].audio_constant_bitrate has no effect on silence, which the encoder for aac writes with fewer bits',
  ]);
  assert.equal(profileWarnings({ ...constant, audio_quality: 3 }, 'a.mp4'), []);
});

test('a device profile makes no warnings about settings that the request does not have', () => {
  assert.equal(profileWarnings({ device_profile: 'mobile/baseline' }, 'a.webm'), []);
  assert.equal(profileWarnings({ device_profile: 'mobile/baseline', crf: 20 }, 'a.ogv'), [
    'outputs[0].crf has no effect: this codec has no constant rate factor, so quality applies',
  ]);
  assert.equal(profileWarnings({ device_profile: 'mobile/baseline', audio_sample_rate: 8000 }, 'a.mp4'), [
    'outputs[0].device_profile gives audio_bitrate, which was corrected to 72: stereo aac at 8000 Hz has bitrates from 16 to 72 Kbps',
  ]);
  const given = { device_profile: 'mobile/baseline', audio_bitrate: 96, audio_sample_rate: 8000 } as const;
  assert.match(profileWarnings(given, 'a.mp4').join(), /^outputs\[0\]\.audio_bitrate was .* \(strict\)$/);
});

test('what is corrected of a device profile is named as such, and no error in strict mode', () => {
  const settings = withDeviceProfile({ device_profile: 'mobile/legacy', strict: true });
  const media = mediaFacts({
    video: videoFacts({ width: 320, height: 240, frameRate: { numerator: 60, denominator: 1 } }),
    audio: audioFacts({ sampleRate: 8000, channels: 1 }),
  });
  const made = planOf({ ...settings, max_frame_rate: 60 }, media);
  assert.equal(made.products[0]?.warnings, [
    'video_codec_level of device_profile was corrected to 2.1: 320x240 at 60 frames per second does not fit into 1.3.',
    'audio_bitrate of device_profile was corrected to 36: mono aac at 8000 Hz has bitrates from 16 to 36 Kbps.',
  ]);
});

test.run();
