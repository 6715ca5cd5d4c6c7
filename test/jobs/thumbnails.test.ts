import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import { draftJob } from '../../daemon/jobs/draft.js';
import type { Job } from '../../daemon/jobs/job.js';
import { thumbnailUrl } from '../../daemon/jobs/output-files.js';
import { jobRecord } from '../../daemon/jobs/view.js';
import { changedAt, file, madeAt, media } from './sample-job.js';

const urls: readonly (readonly [string, number, string])[] = [
  ['file:///a/film.mp4', 0, 'file:///a/film_0000.png'],
  ['file:///a.b/film', 1, 'file:///a.b/film_0001.png'],
  ['file:///a/film.cut.mp4', 499, 'file:///a/film.cut_0499.png'],
  ['file:///a/.mp4', 0, 'file:///a/.mp4_0000.png'],
  ['file:///a/gr%C3%BC%20n%2Emp4', 0, 'file:///a/gr%C3%BC%20n_0000.png'],
  [
    'ftp://user:pass.word@host.com/film.mp4?x=a.b#c',
    2,
    'ftp://user:pass.word@host.com/film_0002.png?x=a.b#c',
  ],
  ['hosted://token/100%25%20%231.mp4', 3, 'hosted://token/100%25%20%231_0003.png'],
];

for (const [url, index, expected] of urls) {
  test(`thumbnail ${index} of ${url} is at ${expected}`, () => {
    assert.is(thumbnailUrl(url, index), expected);
  });
}

const counts = [2, 0, 1] as const;
const settings = [{ thumbnails: { number: 2 } }, {}, { thumbnails: {} }] as const;
const draft = draftJob({
  accountId: 'acme',
  request: { input: 'http://example.com/in.mp4', outputs: settings },
  test: false,
  outputs: settings.map((its, index) => ({
    settings: its,
    outputDestination: {
      destination: `hosted://t${index}/a.mp4`,
      url: `http://localhost/hosted/t${index}/a.mp4`,
    },
  })),
  now: madeAt,
});

/** The job with its outputs finished in reverse order, except for omitted ones. */
function finished(outputs: readonly number[]): Job {
  const begun = [{ type: 'claimed', token: 'x' } as const, { type: 'inspected', media, file } as const];
  const ends = outputs.flatMap((index) => [
    { type: 'output-started', id: 12 + index } as const,
    { type: 'output-finished', id: 12 + index, media, file } as const,
  ]);
  return [...begun, ...ends].reduce<Job>((job, change) => apply(job, change, changedAt), draft.number(10));
}

test('thumbnails get the ids after those of all outputs, in the order of their outputs', () => {
  assert.is(draft.idCount, 2 + counts.length + 3);
  const job = finished([2, 0, 1]);
  assert.equal(
    job.outputs.map(({ thumbnails }) => thumbnails.map(({ id }) => id)),
    [[15, 16], [], [17]],
  );
});

test('thumbnails are shown once the job is complete, with the time of their creation', () => {
  assert.equal(jobRecord(finished([2, 0])).thumbnails, []);
  const at = changedAt.toISOString();
  assert.equal(jobRecord(finished([2, 0, 1])).thumbnails, [
    { id: 15, url: 'http://localhost/hosted/t0/a_0000.png', created_at: at, updated_at: at },
    { id: 16, url: 'http://localhost/hosted/t0/a_0001.png', created_at: at, updated_at: at },
    { id: 17, url: 'http://localhost/hosted/t2/a_0000.png', created_at: at, updated_at: at },
  ]);
});

test('a resubmitted job keeps the thumbnails of the outputs that it keeps', () => {
  const failed = apply(finished([0, 1]), { type: 'output-started', id: 14 }, changedAt);
  const failure = { errorClass: 'ThumbnailError', message: 'none' } as const;
  const ended = apply(failed, { type: 'output-failed', id: 14, failure }, changedAt);
  const again = apply(ended, { type: 'resubmitted' }, changedAt);
  assert.equal(
    again.outputs.map(({ thumbnails }) => thumbnails.map(({ id }) => id)),
    [[15, 16], [], []],
  );
});

test.run();
