import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withDeviceProfile } from '../../daemon/plan/device-profiles.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { input, limits, settingsOf, validationErrorsFor } from './reading.js';

const loud = 'audio_loudness_level';

const form = '1, 2, 6, or names such as FL,FR';
const layouts = 'FC; FL,FR; DL,DR; or FL,FR,FC,LFE,BL,BR';
const types =
  'main, music_and_effects, visually_impaired, hearing_impaired, dialogue, commentary, emergency, voice_over';

function layoutRule(value: unknown): string {
  if (value === true) return 'output_audio_channels must be a string';
  return value === 'surround'
    ? 'output_audio_channels must have at most 3 characters'
    : `output_audio_channels must be a mono, stereo or 5.1 layout: ${form}`;
}

function entryRule(value: unknown): string {
  return value === 1.5 ? 'must be a string' : 'must be a track or track:channel, both from 1';
}

/** The settings of an output, and its validation errors without their path. */
const cases: readonly (readonly [object, readonly string[]])[] = [
  [{ audio_loudness_level: -5 }, []],
  [{ loudness: '-60' }, []],
  [{ audio_loudness_level: -4 }, [`${loud} must be at most -5`]],
  [{ audio_loudness_level: 60 }, [`${loud} must be at most -5`]],
  [{ audio_loudness_level: -61 }, [`${loud} must be a number from -60 to 60`]],
  [{ audio_normalize: 'yes' }, ['audio_normalize must be true or false']],
  [{ force_aac_profile: 'HE-AAD-v2' }, []],
  [{ force_aac_profile: 'main' }, ['force_aac_profile must be one of aac-lc, he-aac, he-aac-v2']],
  [{ audio_language: 'de', select_audio_language: 'pt-BR' }, []],
  [{ audio_language: 'und' }, []],
  [{ audio_language: 'cmn-Hans-CN' }, []],
  [{ audio_language: 'xx' }, ['audio_language must be a language code']],
  [{ audio_language: 'german' }, ['audio_language must be a language code']],
  [{ select_audio_language: 'd' }, ['select_audio_language must be a language code']],
  [{ select_audio_language: '' }, ['select_audio_language must not be empty']],
  [{ output_audio_channels: 6 }, []],
  [{ output_audio_channels: '2' }, []],
  [{ output_audio_channels: [1] }, []],
  [{ output_audio_channels: 'FR,FL' }, []],
  [{ output_audio_channels: ['br', 'BL', 'LFE', 'FC', 'FR', 'FL'] }, []],
  [{ output_audio_channels: ['DR', 'DL'] }, []],
  ...[3, 0, 'surround', true].map(
    (value) => [{ output_audio_channels: value }, [layoutRule(value)]] as const,
  ),
  [
    { output_audio_channels: ['FL', 'SL'] },
    [`output_audio_channels[1] must be a mono, stereo or 5.1 layout: ${form}`],
  ],
  ...[['FL'], ['FL', 'FC'], ['FL', 'FL'], [1, 2], ['DL', 'DR', 'FC']].map(
    (value) =>
      [
        { output_audio_channels: value },
        [`output_audio_channels must be a mono, stereo or 5.1 layout: ${layouts}`],
      ] as const,
  ),
  [{ input_audio_channels: { FL: 1, fr: '2', DL: '3:1', DR: '3:2' } }, []],
  [
    { input_audio_channels: { SL: 1 } },
    ['input_audio_channels must name channels by FL, FR, FC, LFE, BL, BR, DL, DR'],
  ],
  ...[0, '0', '1:0', 'a', '1:2:3', '', 1.5].map(
    (value) =>
      [{ input_audio_channels: { FL: value } }, [`input_audio_channels.FL ${entryRule(value)}`]] as const,
  ),
  ...[
    [1, 1],
    ['1:1', '1:1'],
    [1, '1:2'],
    ['2:1', '2'],
  ].map(
    ([FL, FR]) =>
      [
        { input_audio_channels: { FL, FR } },
        ['input_audio_channels names a track twice: FL and FR'],
      ] as const,
  ),
  [
    { input_audio_channels: { FL: 1, FR: 2 }, output_audio_channels: ['FC'] },
    ['output_audio_channels names FC, which input_audio_channels does not'],
  ],
  [
    { input_audio_service_types: { 1: 'Main', track_2: 'commentary' }, select_audio_service_type: 'MAIN' },
    [],
  ],
  [{ input_audio_service_types: { eng: 'main' } }, ['input_audio_service_types must name tracks by number']],
  [{ input_audio_service_types: { 0: 'main' } }, ['input_audio_service_types must name tracks by number']],
  [{ input_audio_service_types: { 2: 'dub' } }, [`input_audio_service_types.2 must be one of ${types}`]],
  [{ select_audio_service_type: 'dub' }, [`select_audio_service_type must be one of ${types}`]],
];

for (const [given, errors] of cases) {
  test(`${JSON.stringify(given)} is ${errors.length === 0 ? 'valid' : 'invalid'}`, () => {
    assert.equal(
      validationErrorsFor({ input, outputs: [given] }),
      errors.map((text) => `outputs[0].${text}`),
    );
  });
}

test('the older name of a profile is the same profile', () => {
  assert.is(settingsOf({ force_aac_profile: 'he-aad-v2' }).force_aac_profile, 'he-aac-v2');
});

/** Audio settings, the bitrate that applies, why it was corrected, and the error in strict mode. */
const bitrates: readonly (readonly [OutputSettings, number, string?, string?])[] = [
  [{ audio_bitrate: 16 }, 16],
  [{ audio_bitrate: 304, audio_channels: 2 }, 304],
  [{ audio_bitrate: 144, audio_channels: 1 }, 144],
  [{ audio_bitrate: 640, output_audio_channels: ['6'] }, 640],
  [{ audio_bitrate: 384, output_audio_channels: ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR'] }, 384],
  [
    { audio_bitrate: 384, output_audio_channels: ['FL', 'FR'] },
    304,
    'stereo audio has less than 320 Kbps',
    'must be below 160 per channel',
  ],
  [{ audio_bitrate: 56 }, 64, 'bitrates are multiples of 16', 'must be a multiple of 16'],
  [{ audio_bitrate: 8 }, 16, 'bitrates are multiples of 16', 'must be a multiple of 16'],
  [{ audio_bitrate: 100 }, 96, 'bitrates are multiples of 16', 'must be a multiple of 16'],
  [{ audio_bitrate: 312 }, 304, 'bitrates are multiples of 16', 'must be a multiple of 16'],
  [{ audio_bitrate: 320 }, 304, 'stereo audio has less than 320 Kbps', 'must be below 160 per channel'],
  [{ audio_bitrate: 640 }, 304, 'stereo audio has less than 320 Kbps', 'must be below 160 per channel'],
  [
    { audio_bitrate: 160, audio_channels: 1 },
    144,
    'mono audio has less than 160 Kbps',
    'must be below 160 per channel',
  ],
  [
    { audio_bitrate: 152, audio_channels: 1 },
    144,
    'bitrates are multiples of 16',
    'must be a multiple of 16',
  ],
];

for (const [given, kbps, reason, strictError] of bitrates) {
  test(`${JSON.stringify(given)} means ${kbps} Kbps`, () => {
    assert.is(settingsOf(given).audio_bitrate, kbps);
    const { warnings } = parseJobRequest({ input, outputs: [given] }, limits);
    assert.equal(
      warnings.map(({ field, message }) => `${field} ${message}`),
      reason === undefined ? [] : [`outputs[0].audio_bitrate was corrected to ${kbps}: ${reason}`],
    );
    assert.equal(
      validationErrorsFor({ input, strict: true, outputs: [given] }),
      strictError === undefined ? [] : [`outputs[0].audio_bitrate ${strictError}`],
    );
  });
}

test('an audio bitrate below 8 or above 640 is an error', () => {
  for (const audio_bitrate of [0, 7, 641, -56, 56.5, '7'])
    assert.equal(validationErrorsFor({ input, outputs: [{ audio_bitrate }] }), [
      'outputs[0].audio_bitrate must be a whole number from 8 to 640',
    ]);
});

test('a device profile keeps its own audio bitrate, and a requested one is corrected', () => {
  assert.is(withDeviceProfile(settingsOf({ device_profile: 'mobile/advanced' })).audio_bitrate, 56);
  const given = { device_profile: 'mobile/advanced', audio_bitrate: '120' };
  assert.is(withDeviceProfile(settingsOf(given)).audio_bitrate, 128);
});

/** Settings of which the first has no effect, with the one that overrides it. */
const overridden: readonly (readonly [object, string, string])[] = [
  [
    { audio_constant_bitrate: true, audio_bitrate: 96, audio_quality: 3 },
    'audio_constant_bitrate',
    'audio_quality',
  ],
  [{ audio_post_normalize: true, audio_loudness_level: -16 }, 'audio_post_normalize', loud],
  [{ audio_normalize: true, audio_loudness_level: -16 }, 'audio_normalize', loud],
];

for (const [given, name, by] of overridden) {
  test(`${name} has no effect with ${by}, and is an error in strict mode`, () => {
    const { warnings } = parseJobRequest({ input, outputs: [given] }, limits);
    assert.equal(
      warnings.map(({ field, message }) => `${field} ${message}`),
      [`outputs[0].${name} has no effect with ${by}`],
    );
    assert.equal(validationErrorsFor({ input, outputs: [{ ...given, strict: true }] }), [
      `outputs[0].${name} must not be given with ${by}`,
    ]);
  });
}

test('audio is normalised before compression, whatever its loudness becomes', () => {
  const given = { audio_normalize: true, audio_compression_ratio: 2, audio_loudness_level: -16 };
  assert.equal(parseJobRequest({ input, outputs: [given] }, limits).warnings, []);
});

test.run();
