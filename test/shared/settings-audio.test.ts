import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { input, limits, settingsOf, validationErrorsFor } from './reading.js';

const loud = 'audio_loudness_level';

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
