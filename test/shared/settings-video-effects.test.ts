import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { input } from './reading.js';

/** The settings of an output as sent, as parsed, and the warnings by their fields. */
const cases: readonly (readonly [unknown, unknown, readonly (readonly [string, string])[]])[] = [
  [
    { denoise: true, sharpet: 1, auto_level: 'true' },
    { denoise: 'weak', sharpen: true, autolevel: true },
    [],
  ],
  [{ denoise: false, prepare_for_segmenting: false }, {}, []],
  [{ denoise: 'Strong', flip: 'VERTICAL' }, { flip: 'vertical', denoise: 'strong' }, []],
  [{ prepare_for_segmenting: true }, { prepare_for_segmenting: ['hls'] }, []],
  [{ prepare_for_segmenting: 'dash, hls' }, { prepare_for_segmenting: ['dash', 'hls'] }, []],
  [{ prepare_for_segmenting: ['mss'] }, { prepare_for_segmenting: ['mss'] }, []],
  [{ force_keyframe_rate: '0.1' }, { forced_keyframe_rate: 0.1 }, []],
  [{ sample_aspect_ratio: '8:9' }, { sample_aspect_ratio: { numerator: 8, denominator: 9 } }, []],
  [
    { keyframe_interval: 50, keyframe_rate: 1 },
    { keyframe_interval: 50, keyframe_rate: 1 },
    [['keyframe_rate', 'has no effect with keyframe_interval']],
  ],
  [
    { forced_keyframe_rate: 1, forced_keyframe_interval: 9 },
    { forced_keyframe_interval: 9, forced_keyframe_rate: 1 },
    [['forced_keyframe_rate', 'has no effect with forced_keyframe_interval']],
  ],
  [{ size: '640x480', width: 320 }, { width: 320 }, [['size', 'has no effect with width']]],
  [
    { size: '640x480', width: 640, height: 470 },
    { width: 640, height: 470 },
    [['size', 'has no effect with height']],
  ],
  [
    { size: '640x480', width: 320, height: 240 },
    { width: 320, height: 240 },
    [['size', 'has no effect with width']],
  ],
  [{ size: '640x480', width: 640 }, { width: 640, height: 480 }, []],
];

for (const [given, parsed, warnings] of cases) {
  test(`${JSON.stringify(given)} is read as ${JSON.stringify(parsed)}`, () => {
    const result = parseJobRequest({ input, outputs: [given] }, { maxOutputs: 1 });
    if (!result.ok) throw new Error(result.validationErrors.join());
    assert.equal({ ...result.request.outputs[0] }, parsed);
    assert.equal(
      result.warnings.map(({ field, message }) => [field, message]),
      warnings.map(([name, message]) => [`outputs[0].${name}`, message]),
    );
  });
}

test.run();
