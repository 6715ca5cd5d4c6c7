import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isUnusedRendition, jobText, unusedRenditions } from '../../../src/cli/output/job-text.js';
import { createTextColours } from '../../../src/cli/output/paint.js';
import { normaliseJob } from '../../../src/shared/client/normalise.js';
import { defaultHeights, ladderOutputs } from '../../../src/shared/settings/ladder-outputs.js';

const because = (text: string) => `This output was skipped, because the input has ${text}.`;
const tooLow = because('360 lines, and skip.min_height asks for 792');

test('the renditions of a ladder that are left out are named once for each cause', () => {
  const labels = ladderOutputs({}, { kind: 'cmaf', heights: defaultHeights, baseUrl: null })
    .slice(0, 3)
    .map(({ label }) => String(label));
  const outputs = labels.map((label) => ({ label, reason: tooLow }));
  assert.equal(unusedRenditions([...outputs, { label: '234p', reason: because('no video') }]), [
    { labels: ['2160p', '1440p', '1080p'], cause: 'the input has 360 lines' },
    { labels: ['234p'], cause: 'the input has no video' },
  ]);
});

test('the reasons of other outputs stay', () => {
  const others = [
    { label: 'hd', reason: tooLow },
    { label: null, reason: tooLow },
    { label: '720p', reason: because('9 seconds, and skip.min_duration asks for 10') },
    { label: '720p', reason: because('1080 lines, and skip.max_height allows 720') },
    { label: 'audio', reason: because('no audio') },
  ];
  assert.equal(others.map(isUnusedRendition), [false, false, false, false, false]);
  assert.equal(unusedRenditions(others), []);
});

test('show has one line for the renditions that were left out', () => {
  const skipped = ['1080p', '720p'].map((label, index) => ({
    id: index + 6,
    label,
    state: 'skipped',
    warnings: [tooLow],
  }));
  const job = normaliseJob({
    id: 4,
    state: 'finished',
    input_media_file: { id: 5, state: 'finished' },
    output_media_files: [
      ...skipped,
      { id: 8, label: '360p', state: 'finished' },
      { id: 9, label: 'hd', state: 'skipped', warnings: [tooLow] },
    ],
  });
  const text = jobText(job, createTextColours(false), { now: new Date(), progress: null });
  assert.match(text, / skipped +1080p, 720p: the input has 360 lines\n/);
  assert.equal(text.match(/^output \d+/gm), ['output 8', 'output 9']);
  assert.match(text, /warning +This output was skipped, because/);
});

test.run();
