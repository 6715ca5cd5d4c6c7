import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { JobOutput } from '../../../daemon/jobs/job.js';
import { partsOf } from '../../../daemon/queue/parts/job-parts.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { OutputState } from '../../../src/shared/states.js';
import { jobIn } from '../../jobs/sample-job.js';

const test = suite('parts of jobs');

/** An output, by its settings and maybe its state. */
type Given = OutputSettings & { readonly state?: OutputState };

function outputsOf(...given: readonly Given[]): readonly JobOutput[] {
  const job = jobIn({
    job: 'waiting',
    input: 'waiting',
    outputs: given.map(({ state = 'waiting' }) => state),
  });
  return job.outputs.map((output, index) => {
    const { state: _, ...settings } = given[index] ?? {};
    const url = `hosted://token/${settings.filename ?? `${index}.mp4`}`;
    return { ...output, id: index + 1, label: settings.label ?? null, settings, destination: url, url };
  });
}

/** The ids of the outputs of each part. */
function partsIn(...given: readonly Given[]): readonly (readonly number[])[] {
  const parts = partsOf({ outputs: outputsOf(...given) }).map(({ outputIds }) => outputIds.toSorted());
  return parts.toSorted((one, other) => (one[0] ?? 0) - (other[0] ?? 0));
}

test('outputs with equal needs are one part, whatever their sizes', () => {
  assert.equal(partsIn({ height: 360 }, { height: 720 }, { height: 1080, video_bitrate: 4000 }), [[1, 2, 3]]);
});

test('a job with one output has the same part as one with several that need the same', () => {
  for (const settings of [
    {},
    { requires: ['gpu', 'a'], start_clip: 5 },
    { type: 'transfer-only' },
  ] as const) {
    const [one, two] = [[settings], [settings, settings]].map((given) =>
      partsOf({ outputs: outputsOf(...given) }).map(({ outputIds: _, ...part }) => part),
    );
    assert.equal(one, two);
  }
});

test('outputs that need other labels or other encoders are parts of their own', () => {
  const mixed = [
    {},
    { requires: ['gpu'] },
    { filename: 'b.webm' },
    { height: 360 },
    { requires: ['gpu', 'gpu'] },
  ];
  assert.equal(partsIn(...mixed), [[1, 4], [2, 5], [3]]);
  const [, gpu] = partsOf({
    outputs: outputsOf({ filename: 'b.webm' }, { requires: ['gpu', 'a'] }),
  }).toSorted((one, other) => one.requires.length - other.requires.length);
  assert.equal([gpu?.requires, gpu?.needs.length, gpu?.outputIds], [['a', 'gpu'], 1, [2]]);
});

test('an output and its source are one part, and so are a playlist and what it lists', () => {
  assert.equal(
    partsIn(
      { label: 'master', requires: ['gpu'] },
      { source: 'master', filename: 'b.webm' },
      { filename: 'c.webm' },
    ),
    [[1, 2], [3]],
  );
  assert.equal(
    partsIn(
      { type: 'segmented', filename: 'a.m3u8', label: 'a', requires: ['gpu'] },
      { filename: 'b.mp4' },
      { type: 'playlist', filename: 'all.m3u8', streams: [{ source: 'a', bandwidth: 500 }] },
    ),
    [[1, 3], [2]],
  );
});

test('segmented outputs are one part: their segments begin at the same times', () => {
  const segmented = { type: 'segmented', filename: 'a.m3u8' } as const;
  assert.equal(partsIn(segmented, { ...segmented, requires: ['gpu'] }, {}), [[1, 2], [3]]);
});

test('outputs that have ended are in no part, unless one that has not is made from them', () => {
  assert.equal(partsIn({ state: 'finished' }, { requires: ['gpu'] }, { state: 'failed' }), [[2]]);
  assert.equal(partsIn({ label: 'a', state: 'finished' }, { source: 'a', filename: 'b.webm' }), [[1, 2]]);
  assert.equal(partsIn({ state: 'finished' }, { state: 'skipped' }), []);
});

test('parts of the same clip may share its decoding, and others do not', () => {
  const decodingsOf = (...given: readonly Given[]) =>
    partsOf({ outputs: outputsOf(...given) }).map(({ decoding }) => decoding);
  const gpu = { requires: ['gpu'] };
  assert.equal(new Set(decodingsOf({}, gpu)).size, 1);
  assert.equal(new Set(decodingsOf({}, { ...gpu, start_clip: 5 })).size, 2);
  // One of the outputs of the other part is of the same clip.
  assert.equal(new Set(decodingsOf({}, { ...gpu, start_clip: 5 }, { ...gpu, height: 360 })).size, 1);
  assert.equal(decodingsOf({ type: 'transfer-only' }), [-1]);
});

test.run();
