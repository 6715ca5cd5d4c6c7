import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Combination, checkCombination } from '../../daemon/plan/check-combination.js';
import { ineffectiveSettings } from '../../daemon/plan/ineffective-settings.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { newCapabilities, oldCapabilities, without } from './facts.js';

const rejected: readonly (readonly [OutputSettings, RegExp])[] = [
  [{ video_bit_depth: 12 }, /^o\.video_bit_depth must be 8 or 10 for h264$/],
  [
    { video_bit_depth: 10, video_codec_profile: 'high' },
    /^o\.video_bit_depth must agree with video_codec_profile: high has 8 bits$/,
  ],
  [
    { video_bit_depth: 8, video_codec: 'vp9', video_codec_profile: '2' },
    /must agree with video_codec_profile: 2 has 10 or 12 bits$/,
  ],
  [
    { video_codec: 'av1', video_codec_profile: 'main10' },
    /^o\.video_codec_profile must be one of main, high, professional for av1$/,
  ],
  [{ hint: true, video_codec: 'av1' }, /^o\.hint must be omitted: .* no hint tracks for av1$/],
  [{ hint: true, audio_codec: 'ac3' }, /^o\.hint must be omitted: .* no hint tracks for ac3$/],
];

for (const [settings, error] of rejected) {
  test(`${JSON.stringify(settings)} is rejected`, () => {
    const found = checkCombination(settings, 'film.mp4', newCapabilities, 'o');
    assert.equal(found.ok, false);
    assert.match(found.ok ? '' : found.validationErrors.join(), error);
  });
}

test('profiles of AV1 with other chroma need libaom, and old builds hint fewer codecs', () => {
  const high = { video_codec: 'av1', video_codec_profile: 'high' } as const;
  const withSvt = checkCombination(high, 'film.mp4', newCapabilities, 'o');
  assert.is(withSvt.ok && withSvt.video?.encoder, 'libaom-av1');
  const svtOnly = without('libaom-av1');
  const without444 = checkCombination(high, 'film.mp4', svtOnly, 'o');
  assert.match(without444.ok ? '' : without444.validationErrors.join(), /av1 cannot be encoded/);
  const vp9 = { hint: true, video_codec: 'vp9' } as const;
  assert.ok(checkCombination(vp9, 'film.mp4', newCapabilities, 'o').ok);
  assert.not.ok(checkCombination(vp9, 'film.mp4', oldCapabilities, 'o').ok);
});

/** Settings, file name, and the warned settings. */
const warned: readonly (readonly [OutputSettings, string, readonly string[]])[] = [
  [{ video_bit_depth: 8, video_color_range: 'limited', hint: false }, 'film.webm', []],
  [{ video_bit_depth: 10, video_color_range: 'full' }, 'film.webm', ['video_bit_depth', 'video_color_range']],
  [{ video_bit_depth: 10, video_color_range: 'full' }, 'film.mp3', ['video_bit_depth', 'video_color_range']],
  [{ copy_video: true, video_bit_depth: 10, hint: true }, 'film.mp4', ['hint', 'video_bit_depth']],
  [{ video_bit_depth: 8 }, 'film.mp3', []],
  [{ hint: true }, 'film.mkv', ['hint']],
  [{ hint: true, video_bit_depth: 10 }, 'film.mov', []],
];

for (const [settings, name, expected] of warned) {
  test(`${JSON.stringify(settings)} in ${name} warns about ${expected.join(' and ') || 'nothing'}`, () => {
    const found = checkCombination(settings, name, newCapabilities, 'o');
    assert.ok(found.ok, JSON.stringify(found));
    const { warnings } = found as Combination;
    const all = [...warnings, ...ineffectiveSettings(settings, found as Combination, 'o')];
    assert.equal(
      all.map(({ field }) => field),
      expected.map((one) => `o.${one}`),
      JSON.stringify(all),
    );
  });
}

test.run();
