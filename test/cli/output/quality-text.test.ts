import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { QualityRecord } from '../../../src/shared/records.js';
import { qualityFacts } from '../../../src/shared/text/quality-facts.js';

const search = { target: 90, crf: 23.4, predicted: 90.08, probes: [] } as const;

test('a quality that was not measured is shown as predicted', () => {
  const quality: QualityRecord = { metric: 'vmaf', reference: 'output', check: 'none', ...search };
  assert.equal(qualityFacts({ quality })[0], ['quality', 'predicted VMAF 90.1, not measured']);
  assert.equal(
    qualityFacts({ quality }).map(([name]) => name),
    ['quality', 'target'],
  );
});

test('a quality says if only samples were measured, and where its scores are', () => {
  const quality: QualityRecord = {
    ...{ metric: 'vmaf', reference: 'output', check: 'samples', model: 'vmaf_v0.6.1', mean: 90.12 },
    ...{ percentile_5: 85, worst_second: { time: 65, score: 80.04 }, scores: [60, 99] },
    log_url: 'sftp://me:pw@host/film.quality.json',
  };
  const figures = 'VMAF 90.1, 5th percentile 85.0, worst second 80.0 at 1m 05s, only samples were measured';
  assert.equal(qualityFacts({ quality }), [
    ['quality', `${figures}, vmaf_v0.6.1`],
    ['over time', '▁█'],
    ['scores', 'sftp://me@host/film.quality.json'],
  ]);
});

test.run();
