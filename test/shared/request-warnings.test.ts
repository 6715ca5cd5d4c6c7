import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { toReportedWarnings } from '../../src/shared/settings/report-warnings.js';
import { toReportedErrors } from '../../src/shared/settings/sent-paths.js';
import { input, limits, validationErrorsFor } from './reading.js';

function warningsFor(body: Readonly<Record<string, unknown>>): readonly string[] {
  const { warnings } = parseJobRequest({ input, ...body }, limits);
  return toReportedWarnings(warnings, { input, ...body }).map(({ field, message }) => `${field} ${message}`);
}

test('warnings are in the order of the request', () => {
  const outputs = [{ b: 1, thumbnails: { c: 1 }, a: 1 }, { d: 1 }];
  const fields = warningsFor({ y: 1, outputs, x: 1 }).map((text) => text.split(' ')[0]);
  assert.equal(fields, ['y', 'outputs[0].b', 'outputs[0].thumbnails.c', 'outputs[0].a', 'outputs[1].d', 'x']);
});

test('a warning says what was probably meant, or where the name belongs', () => {
  const cases: readonly (readonly [object, string])[] = [
    [{ outputs: { widht: 1 } }, 'outputs[0].widht is not known and was ignored; did you mean width?'],
    [{ quality: 1 }, 'quality is not known and was ignored; quality belongs in outputs'],
    [
      { outputs: [{ region: 1 }] },
      'outputs[0].region is not known and was ignored; region belongs in the job',
    ],
    [{ outputs: [{ zzz: 1 }] }, 'outputs[0].zzz is not known and was ignored'],
    [{ outputs: [{ w: 1 }] }, 'outputs[0].w is not known and was ignored'],
    [
      { outputs: [{ opacity: 1 }] },
      'outputs[0].opacity is not known and was ignored; opacity belongs in watermark',
    ],
    [
      { outputs: [{ thumbnails: { speed: 1 } }] },
      'outputs[0].thumbnails.speed is not known and was ignored; speed belongs in the output',
    ],
    [
      // A spelling is suggested by the name in the documentation, and a setting that is not applied comes last.
      { outputs: [{ decoder_bitrate_ca: 1 }] },
      'outputs[0].decoder_bitrate_ca is not known and was ignored; did you mean bitrate_cap?',
    ],
    [{ region: 5 }, 'region was ignored: it must be a string'],
    [
      { outputs: [{ audio_fade: 1, audio_fade_in: 2, audio_fade_out: 3 }] },
      'outputs[0].audio_fade has no effect with audio_fade_in and audio_fade_out',
    ],
    [
      { outputs: [{ frame_rate: 60, max_frame_rate: 30, video_bitrate: 9, max_video_bitrate: 9 }] },
      'outputs[0].frame_rate has no effect: it is above max_frame_rate, which applies',
    ],
    [
      { outputs: [{ frame_rate: 10, min_frame_rate: 30 }] },
      'outputs[0].frame_rate has no effect: it is below min_frame_rate, which applies',
    ],
  ];
  for (const [body, expected] of cases) assert.equal(warningsFor({ ...body }), [expected]);
});

test('a warning and an error have the name that was sent', () => {
  const message = 'has no effect: the video is copied';
  const names = ['width', 'height', 'bitrate_cap', 'onepass', 'frame_rate', 'upscale'];
  const warnings = names.map((name) => ({ field: `outputs[0].${name}`, message }));
  const sent = { size: '10x10', decoder_bitrate_cap: 1, 'one-pass': true, frame_rate: 25 };
  const expected = ['size', 'decoder_bitrate_cap', 'one-pass', 'frame_rate', 'upscale'];
  for (const body of [{ outputs: [sent] }, { output: sent }]) {
    assert.equal(
      toReportedWarnings(warnings, body).map(({ field }) => field),
      expected.map((name) => `outputs[0].${name}`),
    );
    assert.equal(
      toReportedErrors(
        [],
        names.map((name) => `outputs[0].${name} is wrong`),
        body,
      ),
      expected.map((name) => `outputs[0].${name} is wrong`),
    );
  }
  assert.equal(
    toReportedErrors([], ['input is wrong', 'outputs[1].width is wrong', 'x'], { outputs: [sent] }),
    ['input is wrong', 'outputs[1].width is wrong', 'x'],
  );
});

test('at most 100 warnings are reported, and the last one says how many more there are', () => {
  const body = Object.fromEntries(Array.from({ length: 1234 }, (_, index) => [`zz${index}`, 1]));
  const texts = warningsFor(body);
  assert.is(texts.length, 100);
  assert.match(texts.at(-1) ?? '', 'zz99 is not known and was ignored; 1134 more warnings are not listed');
});

test('in strict mode an unknown name is a validation error, by output or for all', () => {
  const unknown = { widht: 1 };
  const errors = (body: object) => validationErrorsFor({ input, ...body });
  const error = 'is not known; did you mean width?';
  assert.equal(errors({ strict: true, outputs: [{}, unknown] }), [`outputs[1].widht ${error}`]);
  assert.equal(errors({ outputs: [unknown, { ...unknown, strict: 'true' }] }), [`outputs[1].widht ${error}`]);
  assert.equal(errors({ outputs: [{ ...unknown, strict_mode: 1 }] }), [`outputs[0].widht ${error}`]);
  assert.equal(errors({ strict: true, outputs: [{ ...unknown, strict: false }] }), []);
  assert.equal(errors({ strict: true, colour: 1 }), ['colour is not known']);
});

test('strict applies to the outputs that do not say otherwise', () => {
  const parsed = parseJobRequest({ input, strict: true, outputs: [{}, { strict: false }] }, limits);
  assert.ok(parsed.ok);
  assert.equal(parsed.request.outputs, [{ strict: true }, { strict: false }]);
});

test('an empty text counts as omitted, with a warning, where forms send one', () => {
  const output = { url: '', base_url: '', filename: '', label: '' };
  assert.equal(
    warningsFor({ outputs: output }),
    Object.keys(output).map((name) => `outputs[0].${name} is empty and was ignored`),
  );
  assert.is(validationErrorsFor({ input, outputs: [{ width: '' }] }).length, 1);
});

test('a name may be written with hyphens', () => {
  const parsed = parseJobRequest({ input, outputs: [{ 'video-bitrate': 500, 'one-pass': true }] }, limits);
  assert.ok(parsed.ok);
  assert.equal(parsed.request.outputs, [{ video_bitrate: 500, onepass: true }]);
  assert.equal(parsed.warnings, []);
  assert.match(
    validationErrorsFor({ input, outputs: [{ 'video-bitrate': 500, video_bitrate: 600 }] }).join(),
    'video-bitrate and outputs[0].video_bitrate are the same setting',
  );
});

test('a setting without effect accepts any value, with a warning if it has the wrong type', () => {
  assert.equal(warningsFor({ outputs: { mtu_size: 'wide', max_aac_profile: 'aac-lc' } }), [
    'outputs[0].mtu_size is not a number and was ignored',
  ]);
});

test('no warning repeats a value', () => {
  const body = { secret1: 'hunter2', outputs: { azure_sas: 'hunter2', mtu_size: 'hunter2', label: '' } };
  assert.not.match(JSON.stringify(parseJobRequest({ input, ...body }, limits)), 'hunter2');
});

test.run();
