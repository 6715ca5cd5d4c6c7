import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodedText } from '../../../src/cli/output/progress-text.js';
import { normaliseJob } from '../../../src/shared/client/normalise.js';
import { matchesGolden } from '../../helpers/golden.js';

const startedAtMs = Date.parse('2026-01-01T00:00:00.000Z');
const job = normaliseJob({
  id: 1,
  state: 'failed',
  input_media_file: { id: 2, file_size_bytes: 4_100_000 },
  output_media_files: [
    {
      id: 3,
      state: 'finished',
      file_size_bytes: 1_200_000,
      duration_in_ms: 30_000,
      finished_at: '2026-01-01T00:00:05.100Z',
    },
    { id: 4, state: 'failed', file_size_bytes: null },
    { id: 5, state: 'finished', file_size_bytes: null, duration_in_ms: null, finished_at: null },
  ],
});
const encode = {
  job,
  destinations: ['out/film-web.mp4', 'out/film-2.mp4', 's3://b/x\u001b.mp4'],
  startedAtMs,
  endedAtMs: startedAtMs + 65_000,
};

test('size, ratio, time and speed of each output match the golden file', () => {
  matchesGolden('cli/encoded.txt', encodedText(encode));
});

test('no outputs print nothing', () => {
  assert.is(encodedText({ ...encode, job: normaliseJob({ id: 1, state: 'failed' }) }), '');
});

test.run();
