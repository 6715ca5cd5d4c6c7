import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mergeRequest, type RequestLayers } from '../../src/shared/settings/merge-request.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

const input = 'http://example.com/a.mp4';
const listed = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const merged = (parts: Partial<RequestLayers>) =>
  mergeRequest({ file: null, jobFlags: {}, outputFlags: {}, outputs: [], ...parts });

test('without flags the request file is the request', () => {
  const file = { input, test: 1, output: { speed: 1 }, own: true };
  assert.equal(merged({ file }), file);
  assert.equal(merged({ file: { input, outputs: [] } }), { input, outputs: [] });
});

test('flags of only the job leave the outputs to the service', () => {
  assert.equal(merged({ jobFlags: { input, test: 1 } }), { input, test: 1 });
});

test('a flag overrides the request file', () => {
  const file = { input: 'http://old', test: 1, outputs: [{ speed: 1, quality: 1 }] };
  assert.equal(merged({ file, jobFlags: { input, test: 0 }, outputFlags: { speed: 2 } }), {
    input,
    test: 0,
    outputs: [{ quality: 1, speed: 2 }],
  });
});

test('a flag applies to every output, and --output overrides a flag', () => {
  assert.equal(
    merged({ outputFlags: { speed: 2, quality: 2 }, outputs: [{ quality: 3 }, { label: 'b' }] }).outputs,
    [
      { speed: 2, quality: 3 },
      { speed: 2, quality: 2, label: 'b' },
    ],
  );
  assert.equal(merged({ outputFlags: { speed: 2 } }).outputs, [{ speed: 2 }]);
});

test('each --output overrides the output of the file at its position, and further ones are added', () => {
  const file = { outputs: [{ label: 'a', speed: 1, quality: 1, upscale: true }] };
  assert.equal(
    merged({ file, outputFlags: { speed: 2, quality: 2 }, outputs: [{ quality: 3 }, { label: 'b' }] })
      .outputs,
    [
      { label: 'a', upscale: true, speed: 2, quality: 3 },
      { speed: 2, quality: 2, label: 'b' },
    ],
  );
});

test('a file with a single output or none accepts flags as well', () => {
  for (const file of [{ output: { speed: 1 } }, { output: [{ speed: 1 }] }, { outputs: { speed: 1 } }]) {
    assert.equal(merged({ file, outputFlags: { quality: 2 } }), { outputs: [{ speed: 1, quality: 2 }] });
  }
  for (const file of [{}, { outputs: [] }, { outputs: null }, { output: null }]) {
    assert.equal(merged({ file, outputFlags: { quality: 2 } }).outputs, [{ quality: 2 }]);
  }
});

for (const [what, base, layer, expected] of [
  ['another spelling of itself', { one_pass: true }, { onepass: false }, { onepass: false }],
  ['its plural', { watermarks: [1] }, { watermark: [2] }, { watermark: [2] }],
  ['one side of a size', { size: '640x480' }, { width: 320 }, { height: 480, width: 320 }],
  ['the sides that a size sets', { width: 1, height: 2 }, { size: '64x48' }, { size: '64x48' }],
  ['a bitrate that would override a quality', { video_bitrate: 9 }, { quality: 2 }, { quality: 2 }],
  [
    'a quality that would override a bitrate',
    { audio_quality: 2 },
    { audio_bitrate: 96 },
    { audio_bitrate: 96 },
  ],
  ['a rate that would override a divisor', { frame_rate: 25 }, { decimate: 2 }, { decimate: 2 }],
  ['nothing else', { speed: 1, size: '64x48' }, { quality: 2 }, { speed: 1, size: '64x48', quality: 2 }],
] as const) {
  test(`a flag removes ${what}`, () => {
    assert.equal(merged({ file: { outputs: [base] }, outputFlags: layer }).outputs, [expected]);
    assert.equal(merged({ outputFlags: base, outputs: [layer] }).outputs, [expected]);
  });
}

test('invalid values in a request file are left for the service to report', () => {
  const file = { input, output: {}, outputs: [{ size: 'big' }, 5] };
  const body = merged({ file, outputFlags: { width: 320 } });
  assert.equal(body, { input, output: {}, outputs: [{ size: 'big', width: 320 }, 5] });
  assert.not.ok(parseJobRequest(body, { maxOutputs: 50 }).ok);
});

test('the merged request shares no objects with its parts', () => {
  const file = Object.freeze({ outputs: Object.freeze([Object.freeze({ speed: 1 })]) });
  assert.equal(merged({ file, outputFlags: Object.freeze({ speed: 2 }) }).outputs, [{ speed: 2 }]);
});

test('unknown settings are left for the service to report, under any name', () => {
  const strange: Record<string, unknown> = JSON.parse('{"__proto__":1,"constructor":2,"toString":3}');
  const [output] = listed(merged({ outputFlags: { speed: 2 }, outputs: [strange] }).outputs);
  assert.equal(Object.entries(Object(output)), [['speed', 2], ...Object.entries(strange)]);
});

test.run();
