import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';

const input = 'file:///in.mp4';
const cut = { type: 'segmented' } as const;

function parse(outputs: readonly object[]) {
  const result = parseJobRequest({ input, outputs }, { maxOutputs: 50 });
  return {
    errors: result.ok ? [] : result.validationErrors,
    warnings: result.warnings.map(({ field, message }) => `${field} ${message}`),
  };
}

const key = '0123456789abcdef0123456789ABCDEF';

const errors: readonly (readonly [object, string])[] = [
  [{ segment_seconds: 1.5 }, 'segment_seconds must be at least 2 without byte_range_segmenting'],
  [
    { byte_range_segmenting: true, max_hls_protocol_version: 3 },
    'max_hls_protocol_version must be at least 4 for byte_range_segmenting',
  ],
  [
    { generate_keyframe_manifest: true, hls_protocol_version: 3 },
    'hls_protocol_version must be at least 4 for generate_keyframe_manifest',
  ],
  [
    { hls_protocol_version: 5, max_hls_protocol_version: 4 },
    'hls_protocol_version must not be above max_hls_protocol_version',
  ],
  [
    { keyframe_manifest_filename: 'a/b.m3u8' },
    'keyframe_manifest_filename must be a file name that ends in .m3u8',
  ],
  [{ segment_seconds: 3601 }, 'segment_seconds must be'],
  [{ encryption_key: 'abc' }, 'encryption_key must be 32 hexadecimal digits'],
  [{ encryption_iv: 'xyz', encryption_method: 'aes-128-cbc' }, 'encryption_iv must be 32 hexadecimal digits'],
  [
    { encryption_key: key, encryption_key_rotation_period: 3 },
    'encryption_key must not be given with encryption_key_rotation_period',
  ],
  [
    { encryption_method: 'aes-128', generate_keyframe_manifest: true },
    'generate_keyframe_manifest is not available for encrypted segments',
  ],
  [{ type: 'standard', encryption_key: key }, 'encryption_key is supported only for segmented outputs'],
];

for (const [settings, message] of errors) {
  test(`a segmented output with ${JSON.stringify(settings)} is rejected`, () => {
    const { errors: found } = parse([{ ...cut, ...settings }]);
    assert.ok(found.length >= 1 && found.join('\n').includes(`outputs[0].${message}`), found.join('\n'));
  });
}

for (const settings of [
  {},
  { segment_seconds: 1, byte_range_segmenting: true },
  { segment_seconds: 2.002 },
  { hls_protocol_version: 7, max_hls_protocol_version: 7 },
  { max_hls_protocol_version: 1 },
  { encryption_method: 'aes-128', encryption_key: `0x${key}`, encryption_iv: key },
  { type: 'standard', encryption_method: 'none' },
]) {
  test(`a segmented output with ${JSON.stringify(settings)} is valid`, () =>
    assert.equal(parse([{ ...cut, ...settings }]), { errors: [], warnings: [] }));
}

const warnings: readonly (readonly [object, string])[] = [
  [{ segment_seconds: 4 }, 'segment_seconds has no effect: only an output of type segmented has segments'],
  [
    { ...cut, keyframe_manifest_filename: 'k.m3u8' },
    'keyframe_manifest_filename has no effect without generate_keyframe_manifest',
  ],
  [
    { ...cut, generate_keyframe_manifest: true, skip_video: true },
    'generate_keyframe_manifest has no effect: the output has no video',
  ],
  [
    { ...cut, encryption_method: 'none', encryption_key: key },
    'encryption_key has no effect with encryption_method none',
  ],
  [{ ...cut, encryption_iv: key }, 'encryption_iv has no effect without encryption_method'],
  [
    { ...cut, encryption_key_url: 'http://h/k', encryption_key_url_prefix: 'x' },
    'encryption_key_url_prefix has no effect with encryption_key_url',
  ],
];

for (const [output, message] of warnings) {
  test(`an output with ${JSON.stringify(output)} has a warning`, () =>
    assert.equal(parse([output]), { errors: [], warnings: [`outputs[0].${message}`] }));
}

test('a segmented output cannot be the source of another', () => {
  const outputs = [{ ...cut, label: 'a' }, { source: 'a' }];
  assert.equal(parse(outputs).errors, [
    'outputs[1].source names a segmented output, which cannot be a source',
  ]);
});

test.run();
