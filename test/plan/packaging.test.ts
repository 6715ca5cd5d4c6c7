import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  decidePackaging,
  isFragmentedFile,
  partNames,
  segmentGridsOf,
  segmentNames,
} from '../../daemon/plan/decide/packaging.js';

const cut = { type: 'segmented' } as const;
const both = { hasVideo: true, hasAudio: true } as const;
const names = { filename: 'a.m3u8', extension: '.ts' } as const;

test('an output that is not segmented is not packaged, unless it is fragmented MP4', () => {
  assert.is(decidePackaging({}, { filename: 'a.mp4', extension: '.mp4' }, true), null);
  const fragmented = decidePackaging({}, { filename: 'a.mp4', extension: '.m4f' }, true);
  assert.ok(fragmented !== null && isFragmentedFile(fragmented));
  const segmented = decidePackaging(cut, names, true);
  assert.not(segmented === null || isFragmentedFile(segmented));
  assert.equal(partNames({}, 'a.mp4', both), []);
});

test('the names of the files of a rendition begin with that of its playlist', () => {
  assert.equal(partNames({ ...cut, hls_protocol_version: 4 }, 'a.b.m3u8', both), [
    'a.b-00001.ts',
    'a.b-iframe-index.m3u8',
  ]);
  const ranges = { ...cut, byte_range_segmenting: true, generate_keyframe_manifest: true } as const;
  assert.equal(partNames({ ...ranges, keyframe_manifest_filename: 'k.m3u8' }, 'a.m3u8', both), [
    'a.ts',
    'k.m3u8',
  ]);
  assert.equal(partNames(ranges, 'a.m3u8', { ...both, hasVideo: false }), ['a.ts']);
  const packaging = decidePackaging(cut, names, true);
  assert.ok(packaging !== null);
  assert.is(segmentNames(packaging, null).segment(123_456), 'a-123457.ts');
});

test('only a highest version below 3 lowers the version', () => {
  const version = (settings: object) => decidePackaging({ ...cut, ...settings }, names, true)?.version;
  assert.equal(
    [{}, { max_hls_protocol_version: 2 }, { max_hls_protocol_version: 4 }, { hls_protocol_version: 6 }].map(
      version,
    ),
    [null, 2, null, 6],
  );
});

test('an output has keyframes for all segments into which its video is cut, directly or through copies', () => {
  const outputs = [
    { label: 'a' },
    { label: 'b', source: 'a', copy_video: true },
    { ...cut, source: 'b', copy_video: true, segment_seconds: 4 },
    { ...cut, source: 'a', copy_video: 'auto' },
    { ...cut, source: 'a', segment_seconds: 7 },
    { ...cut, segment_seconds: 3 },
  ] as const;
  assert.equal(
    outputs.map((output) => segmentGridsOf(output, outputs)),
    [[4, 10], [4], [4], [10], [7], [3]],
  );
});

test.run();
