import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { actionsFor, hostedPath } from '../../daemon/web/views/job.js';
import {
  activityOf,
  heldCounts,
  QueueHead,
  queryOf,
  rowOf,
  type StateCounts,
} from '../../daemon/web/views/queue.js';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';

const time = '2026-03-01T14:05:09Z';

/** A job with the fields that the views read. */
function jobWith(changes: Partial<JobRecord>): JobRecord {
  const file = { id: 2, url: 'http://h/a.mp4', state: 'finished', error_class: null, error_message: null };
  const output = { ...file, id: 3, label: null, file_size_bytes: 500 };
  const head = { id: 1, state: 'finished', created_at: time, submitted_at: time, finished_at: null };
  const files = { input_media_file: { ...file, file_size_bytes: 1000 }, output_media_files: [output] };
  return { ...head, ...files, thumbnails: [], ...changes } as unknown as JobRecord;
}

const running: JobProgressRecord = {
  state: 'processing',
  progress: 41.25,
  input: { id: 2, state: 'finished', progress: 100 },
  outputs: [
    {
      id: 3,
      state: 'processing',
      current_event: 'transcoding',
      progress: 41.25,
      speed: 3.14,
      eta_in_ms: 65_000,
    },
    { id: 4, state: 'finished', progress: 100 },
  ],
};

test('a row of the list shows a running job by its progress, and an ended one by its record', () => {
  const ended = rowOf(jobWith({}), undefined, 'default');
  assert.is(ended.result, '500 B (50%)');
  assert.is(ended.percent, null);
  const row = rowOf(jobWith({ state: 'processing' }), running, 'default');
  assert.equal([row.state, row.percent, row.outputs, row.name], ['processing', 41.25, '1/2', 'a.mp4']);
  assert.is(row.activity, 'transcoding, 3.1x, 1m 05s left');
  assert.is(activityOf({ ...running, outputs: [] }), '');
});

test('jobs that are processed and wait for a slot are counted as their rows say', () => {
  const waits: JobProgressRecord = {
    ...running,
    outputs: running.outputs.map((one) => ({ ...one, state: 'queued' as const })),
  };
  const all = [running, waits, waits, { ...running, paused: true }, { ...waits, state: 'waiting' as const }];
  assert.equal(heldCounts(all), { queued: 2, paused: 1 });
  const head = {
    ...{ root: './', filter: { state: '', q: '', label: '', account: '' }, ownAccount: 'default' },
    ...{ isOwner: false, total: 4, searched: null },
    queue: { paused: false, frozen: false, reason: null, until: null },
  };
  const text = (counts: StateCounts, held: StateCounts) => String(QueueHead({ ...head, counts, held }));
  assert.match(text({ processing: 4 }, heldCounts(all)), 'processing 4 (2 queued, 1 paused)');
  assert.match(text({ processing: 4 }, {}), 'processing 4<');
});

test('a job has the actions of its state', () => {
  assert.equal(actionsFor(jobWith({ state: 'waiting' })), ['pause', 'cancel']);
  assert.equal(actionsFor(jobWith({ state: 'processing', paused: true })), ['resume', 'cancel']);
  assert.equal(actionsFor(jobWith({ state: 'failed' })), ['resubmit', 'remove']);
  const attempt = { attempted_at: time } as never;
  assert.equal(actionsFor(jobWith({ notification_attempts: [attempt] })), ['notify', 'remove']);
});

test('only what the daemon hosts now has a download', () => {
  const url = 'http://h/x/hosted/0123456789abcdef/a.mp4';
  const now = Date.parse(time);
  const hosted = { url, state: 'finished', expires_at: '2026-03-02T00:00:00Z' } as const;
  assert.is(hostedPath(hosted, now), '/hosted/0123456789abcdef/a.mp4');
  assert.is(hostedPath({ ...hosted, expires_at: time }, now), null);
  assert.is(hostedPath({ url, state: 'finished' }, now), null);
  assert.is(hostedPath({ ...hosted, state: 'failed' }, now), null);
});

test('the query of a filter has only what is chosen', () => {
  const none = { state: '', q: '', label: '', account: '' };
  assert.is(queryOf(none), '');
  assert.is(queryOf({ ...none, q: 'a&b' }, { state: 'failed' }), '?state=failed&q=a%26b');
});

test.run();
