import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

const input = 'http://example.com/a.mp4';

function parse(job: object, ...outputs: readonly object[]) {
  return parseJobRequest({ input, generate_dynamic_profile: true, ...job, outputs }, { maxOutputs: 10 });
}

function errorsOf(job: object, ...outputs: readonly object[]): readonly string[] {
  const parsed = parse(job, ...outputs);
  return parsed.ok ? [] : parsed.validationErrors;
}

test('a rendition has the target of the ladder, and is not measured unless it asks for that', () => {
  const parsed = parse({}, { dynamic_profile_rendition: 2 }, { label: 'other' });
  assert.ok(parsed.ok);
  assert.equal(parsed.warnings, []);
  assert.equal(parsed.request.outputs, [
    {
      ...{ dynamic_profile_rendition: 2, quality_target: 93, quality_reference: 'source' },
      quality_check: 'none',
    },
    { label: 'other' },
  ]);
  const asked = parse({}, { dynamic_profile_rendition: 1, quality_target: 95 });
  assert.ok(asked.ok);
  assert.equal(
    asked.request.outputs.map(({ quality_target, quality_check }) => [quality_target, quality_check]),
    [[95, undefined]],
  );
});

test('options apply to the renditions that do not set the same', () => {
  const options = { video_codec: 'hevc', max_frame_rate: 30, keyframe_rate: 0.5 };
  const parsed = parse(
    { dynamic_profile_options: options },
    { dynamic_profile_rendition: 1 },
    { dynamic_profile_rendition: 2, max_frame_rate: 25 },
    {},
  );
  assert.ok(parsed.ok);
  assert.equal(
    parsed.request.outputs.map(({ video_codec, max_frame_rate, keyframe_rate }) => [
      video_codec,
      max_frame_rate,
      keyframe_rate,
    ]),
    [
      ['hevc', 30, 0.5],
      ['hevc', 25, 0.5],
      [undefined, undefined, undefined],
    ],
  );
});

test('what the ladder decides is a warning, and an error in strict mode', () => {
  const given = { dynamic_profile_rendition: 1, width: 640, crf: 30, video_bitrate: 900 };
  const parsed = parse({}, given);
  assert.ok(parsed.ok);
  assert.equal(
    parsed.warnings.map(({ field }) => field),
    ['outputs[0].width', 'outputs[0].crf', 'outputs[0].video_bitrate'],
  );
  assert.not.ok(['width', 'crf', 'video_bitrate'].some((name) => name in (parsed.request.outputs[0] ?? {})));
  assert.equal(errorsOf({ strict: true }, given), [
    'outputs[0].width must not be given with dynamic_profile_rendition',
    'outputs[0].crf must not be given with dynamic_profile_rendition',
    'outputs[0].video_bitrate must not be given with dynamic_profile_rendition',
  ]);
});

test('a ladder and its renditions need each other', () => {
  assert.equal(errorsOf({ generate_dynamic_profile: false }, { dynamic_profile_rendition: 1 }), [
    'outputs[0].dynamic_profile_rendition needs generate_dynamic_profile',
  ]);
  const without = parse({}, {});
  assert.equal(
    without.warnings.map(({ field, message }) => `${field} ${message}`),
    ['generate_dynamic_profile has no effect: no output has dynamic_profile_rendition'],
  );
  assert.equal(errorsOf({ strict: true }, {}), [
    'generate_dynamic_profile needs an output with dynamic_profile_rendition',
  ]);
  const options = parse(
    { generate_dynamic_profile: false, dynamic_profile_options: { max_renditions: 3 } },
    {},
  );
  assert.equal(
    options.warnings.map(({ field }) => field),
    ['dynamic_profile_options'],
  );
});

test('contradictions are errors that name the setting', () => {
  const rendition = { dynamic_profile_rendition: 1 };
  const name = 'outputs[0].dynamic_profile_rendition';
  assert.equal(errorsOf({}, { ...rendition, skip_video: true }), [
    `${name} must not be given with skip_video`,
  ]);
  assert.equal(errorsOf({}, { ...rendition, copy_video: true }), [
    `${name} must not be given with copy_video`,
  ]);
  assert.equal(errorsOf({}, { ...rendition, source: 'b' }, { label: 'b' }), [
    `${name} must not be given with source`,
  ]);
  assert.equal(errorsOf({}, { ...rendition, type: 'transfer-only' }), [
    `${name} must not be given for an output of type transfer-only`,
  ]);
  assert.equal(errorsOf({}, rendition, { dynamic_profile_rendition: 2, video_codec: 'hevc' }), [
    'outputs[1].video_codec must be the same in all renditions of a ladder',
  ]);
  assert.equal(errorsOf({}, { dynamic_profile_rendition: 11 }), [
    `${name} must be a whole number from 1 to 10`,
  ]);
  assert.equal(
    errorsOf(
      {
        dynamic_profile_options: {
          ...{ min_renditions: 5, max_renditions: 2, min_bitrate: 900, max_bitrate: 500 },
          min_resolution: { width: 1280, height: 720 },
          max_resolution: { width: 640, height: 360 },
        },
      },
      rendition,
    ),
    ['min_renditions', 'min_bitrate', 'min_resolution'].map(
      (one) => `dynamic_profile_options.${one} must not be above ${one.replace('min', 'max')}`,
    ),
  );
});

test.run();
