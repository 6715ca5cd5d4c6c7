import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { draftJob } from '../../daemon/jobs/draft.js';
import { deepFreeze, madeAt } from './sample-job.js';

const location = { destination: 'hosted://token/a.mp4', url: 'http://localhost/hosted/token/a.mp4' };
const parts = deepFreeze({
  accountId: 'acme',
  request: {
    input: 'ftp://user:secret@example.com/in.mp4',
    pass_through: 'order 12',
    input_name: '/films/in.mp4',
    grouping: 'spring',
    outputs: [{ label: 'web' }, {}],
  },
  test: true,
  outputs: [
    { settings: { label: 'web', width: 640 }, outputDestination: location },
    { settings: {}, outputDestination: location },
  ],
  now: madeAt,
});

test('a draft needs an id for the job, its input and each of its outputs', () => {
  assert.is(draftJob(parts).idCount, 4);
});

test('the ids of a job are consecutive: job, input, outputs in the order of the request', () => {
  const job = draftJob(parts).number(100);
  assert.equal([job.id, job.input.id, ...job.outputs.map(({ id }) => id)], [100, 101, 102, 103]);
});

test('a new job is waiting, unclaimed, and its files are not yet inspected', () => {
  const job = draftJob(parts).number(100);
  assert.equal(
    [job.state, job.claim, job.crashes, job.resubmits, job.finishedAt],
    ['waiting', null, 0, 0, null],
  );
  for (const part of [job.input, ...job.outputs]) {
    assert.is(part.state, 'waiting');
    assert.equal([part.media, part.file, part.failure, part.finishedAt], [null, null, null, null]);
    assert.equal([part.createdAt, part.updatedAt], [madeAt.toISOString(), madeAt.toISOString()]);
  }
  assert.equal([job.createdAt, job.submittedAt], [madeAt.toISOString(), madeAt.toISOString()]);
});

test('no connection for the download means one', () => {
  for (const [given, connections] of [
    [0, 1],
    [1, 1],
    [7, 7],
  ] as const) {
    const request = { ...parts.request, download_connections: given };
    assert.is(draftJob({ ...parts, request }).number(100).input.connections, connections);
  }
});

test('a job contains the values of its request', () => {
  const job = draftJob(parts).number(100);
  assert.equal(
    [job.accountId, job.test, job.passThrough, job.inputName, job.grouping, job.input.url],
    ['acme', true, 'order 12', '/films/in.mp4', 'spring', 'ftp://user:secret@example.com/in.mp4'],
  );
  assert.equal(
    job.outputs.map(({ label, settings, destination, url }) => [label, settings, destination, url]),
    [
      ['web', { label: 'web', width: 640 }, location.destination, location.url],
      [null, {}, location.destination, location.url],
    ],
  );
});

test('the priority and the labels of a job are stored unless they are the default', () => {
  const queueingOf = (edit: object) => {
    const { priority, requires } = draftJob({ ...parts, request: { ...parts.request, ...edit } }).number(1);
    return [priority, requires];
  };
  assert.equal(queueingOf({}), [undefined, undefined]);
  assert.equal(queueingOf({ priority: 0 }), [undefined, undefined]);
  assert.equal(queueingOf({ priority: -10, requires: ['gpu', 'av1', 'gpu'] }), [-10, ['gpu', 'av1']]);
});

test('the notifications of a job are stored with it, with defaults for missing fields', () => {
  const notifications = [
    { url: 'http://a.example/x' },
    { url: 'http://b.example', format: 'xml', headers: { a: 'b' } },
  ] as const;
  const job = draftJob({ ...parts, request: { ...parts.request, notifications } }).number(1);
  assert.equal(job.notifications, [
    { url: 'http://a.example/x', format: 'json', headers: {} },
    { url: 'http://b.example', format: 'xml', headers: { a: 'b' } },
  ]);
  assert.equal(job.pendingNotifications, []);
  assert.equal(draftJob(parts).number(1).notifications, []);
});

test('values that a request omits are null', () => {
  const bare = { ...parts, request: { input: 'http://example.com/a', outputs: [] }, outputs: [] };
  const job = draftJob(bare).number(1);
  assert.equal([job.passThrough, job.grouping, job.outputs], [null, null, []]);
});

test('one draft makes jobs that differ only in their ids', () => {
  const draft = draftJob(parts);
  assert.equal(draft.number(5), draft.number(5));
  assert.is(draft.number(6).id, 6);
});

test.run();
