import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCombination } from '../../daemon/plan/check-combination.js';
import { decideKeyframes } from '../../daemon/plan/decide/keyframes.js';
import type { TimingDecision } from '../../daemon/plan/decide/timing.js';
import { ineffectiveSettings } from '../../daemon/plan/ineffective-settings.js';
import { plan } from '../../daemon/plan/plan.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { mediaFacts, newCapabilities, output, paths, videoFacts, without } from './facts.js';

const even: TimingDecision = {
  timing: { by: 'constant-rate', rate: { numerator: 30_000, denominator: 1001 } },
  framesPerSecond: 30_000 / 1001,
};
const uneven: TimingDecision = {
  timing: { by: 'source-timestamps', clock: { by: 'fine' }, dropRules: [] },
  framesPerSecond: null,
};

/** Settings, then the maximum distance, the forced frames and the forced periods. */
const cases: readonly (readonly [
  OutputSettings,
  TimingDecision,
  number,
  number | null,
  readonly number[],
])[] = [
  [{}, even, 250, null, []],
  [{ keyframe_rate: 0.5 }, even, 60, null, []],
  [{ keyframe_rate: 100 }, even, 1, null, []],
  [{ keyframe_rate: 0.5, keyframe_interval: 7 }, even, 7, null, []],
  [{ keyframe_rate: 0.5 }, uneven, 50, null, [0.5]],
  [{ forced_keyframe_interval: 9, forced_keyframe_rate: 3 }, even, 250, 9, []],
  [{ forced_keyframe_rate: 0.1 }, even, 250, null, [0.1]],
  [{ prepare_for_segmenting: ['hls'] }, even, 250, null, [0.1]],
  [{ prepare_for_segmenting: ['hls', 'mss', 'dash'] }, even, 250, null, [0.5]],
  [{ prepare_for_segmenting: ['dash'], forced_keyframe_rate: 1 }, even, 250, null, [1, 0.5]],
];
for (const [settings, timing, maxDistance, everyFrames, perSecond] of cases) {
  test(`${JSON.stringify(settings)} with ${timing.timing.by} gives ${maxDistance}, ${everyFrames}, ${perSecond.join()}`, () => {
    const isFixed = settings.prepare_for_segmenting !== undefined;
    assert.equal(decideKeyframes(settings, timing), { maxDistance, isFixed, everyFrames, perSecond });
  });
}

/** Settings, and the names that have no effect. */
const ineffective: readonly (readonly [OutputSettings, readonly string[]])[] = [
  [
    { video_codec: 'theora', forced_keyframe_rate: 1, fixed_keyframe_interval: false },
    ['forced_keyframe_rate'],
  ],
  [{ video_codec: 'theora', fixed_keyframe_interval: true }, ['fixed_keyframe_interval']],
  [{ video_codec: 'vp9', sample_aspect_ratio: { numerator: 4, denominator: 3 } }, ['sample_aspect_ratio']],
  [{ video_codec: 'vp9', sample_aspect_ratio: { numerator: 1, denominator: 1 } }, []],
  [
    { video_codec: 'vp9', color_metadata: 'discard', force_interlace_headers: true },
    ['force_interlace_headers'],
  ],
  [{ video_codec: 'vp8', color_metadata: 'discard' }, ['color_metadata']],
  [{ video_codec: 'vp8', color_metadata: 'preserve' }, []],
  [{ deinterlace: 'off', deinterlace_mode: 'field-to-frame' }, ['deinterlace_mode']],
  [{ skip_video: true, flip: 'vertical', denoise: 'weak' }, ['flip', 'denoise']],
];
for (const [settings, names] of ineffective) {
  test(`of ${JSON.stringify(settings)}, ${names.join(' and ') || 'nothing'} has no effect`, () => {
    const combination = checkCombination(settings, null, newCapabilities, 'outputs[0]');
    if (!combination.ok) throw new Error(combination.validationErrors.join());
    const found = ineffectiveSettings(settings, combination, 'outputs[0]').map(({ field }) => field);
    assert.equal(
      found,
      names.map((name) => `outputs[0].${name}`),
    );
  });
}

test('AV1 with forced keyframes uses an encoder that places them, or is rejected', () => {
  const settings = { video_codec: 'av1', forced_keyframe_rate: 1 } as const;
  const encoderOf = (capabilities: typeof newCapabilities) => {
    const found = checkCombination(settings, 'film.mp4', capabilities, 'outputs[0]');
    return found.ok ? found.video?.encoder : found.validationErrors.join();
  };
  assert.is(encoderOf(newCapabilities), 'libaom-av1');
  assert.is(encoderOf({ ...newCapabilities, version: 7 }), 'libsvtav1');
  assert.match(encoderOf(without('libaom-av1')) ?? '', /forced_keyframe_rate is not supported for av1/);
});

/** Settings of two outputs, and the number of runs. */
const groups: readonly (readonly [OutputSettings, OutputSettings, number])[] = [
  [{ denoise: 'weak' }, { denoise: 'weak', width: 320 }, 1],
  [{ denoise: 'weak' }, { denoise: 'strong' }, 2],
  [{ flip: 'vertical' }, {}, 2],
  [{ autolevel: true }, { autolevel: true, sharpen: true }, 1],
  [{ deblock: true }, {}, 2],
  [{ sharpen: true }, { sample_aspect_ratio: { numerator: 4, denominator: 3 } }, 1],
];
for (const [one, other, runs] of groups) {
  test(`outputs with ${JSON.stringify(one)} and ${JSON.stringify(other)} take ${runs} runs`, () => {
    const outputs = [output(one), { ...output(other), id: 8 }];
    assert.is(plan(outputs, mediaFacts(), paths, newCapabilities).steps.length, runs);
  });
}

test('what has no effect on this input is a warning of the output', () => {
  const hdr = mediaFacts({ video: videoFacts({ colourTransfer: 'smpte2084' }) });
  const settings = { autolevel: true, deinterlace_mode: 'field-to-frame' } as const;
  const [product] = plan([output(settings)], hdr, paths, newCapabilities).products;
  assert.equal(
    product?.warnings.map((text) => text.split(' ')[0]),
    ['deinterlace_mode', 'autolevel'],
  );
});

test.run();
