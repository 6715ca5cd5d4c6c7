import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { apply } from '../../daemon/jobs/changes.js';
import { draftJob } from '../../daemon/jobs/draft.js';
import type { Job } from '../../daemon/jobs/job.js';
import {
  destinationOfThumbnail,
  hostedFilesOf,
  reservedThumbnailIds,
  setAtUrl,
} from '../../daemon/jobs/thumbnails.js';
import { jobRecord, notificationRecord } from '../../daemon/jobs/view.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { changedAt, file, madeAt, media, sampleFailure } from './sample-job.js';

test('the set of a destination is that with the nearest base_url', () => {
  const at = (folder: string, credentials: string) => ({ base_url: folder, credentials });
  const web = 'https://bucket.s3-eu-west-1.amazonaws.com/web/';
  const thumbnails = [at('s3://b/x', 'outer'), at('s3://b/x/y/', 'inner'), at(web, 'web'), {}];
  const found = (url: string) => setAtUrl({ thumbnails }, url)?.credentials;
  assert.equal(
    ['s3://b/x/1.png', 's3://b/x/y/1.png', 's3://b/xy/1.png', 's3+eu-west-1://bucket/web/a/1.png'].map(found),
    ['outer', 'inner', undefined, 'web'],
  );
});

type Sets = NonNullable<OutputSettings['thumbnails']>;

/** The URL of the video, the sets, the index of the set and of the image, and the destination of the image. */
const destinations: readonly (readonly [string, Sets, number, number, string])[] = [
  ['file:///a/film.mp4', [{}], 0, 0, 'file:///a/film_0000.png'],
  ['file:///a.b/film', [{}], 0, 1, 'file:///a.b/film_0001.png'],
  ['file:///a/film.cut.mp4', [{}], 0, 499, 'file:///a/film.cut_0499.png'],
  ['file:///a/.mp4', [{}], 0, 0, 'file:///a/.mp4_0000.png'],
  ['file:///a/gr%C3%BC%20n%2Emp4', [{}], 0, 0, 'file:///a/gr%C3%BC%20n_0000.png'],
  [
    'ftp://user:pass.word@host.com/film.mp4?x=a.b#c',
    [{}],
    0,
    2,
    'ftp://user:pass.word@host.com/film_0002.png?x=a.b#c',
  ],
  ['hosted://token/100%25%20%231.mp4', [{}], 0, 3, 'hosted://token/100%25%20%231_0003.png'],
  ['file:///a/film.mp4', [{ format: 'jpg' }], 0, 0, 'file:///a/film_0000.jpg'],
  ['file:///a/film.mp4', [{ label: 'one' }], 0, 0, 'file:///a/film_0000.png'],
  ['file:///a/film.mp4', [{ label: 'one' }, {}], 0, 0, 'file:///a/film_one_0000.png'],
  ['file:///a/film.mp4', [{ label: 'one' }, { prefix: 'p' }], 0, 0, 'file:///a/film_one_0000.png'],
  ['file:///a/film.mp4', [{ label: '../ä' }, {}], 0, 0, 'file:///a/film___%C3%A4_0000.png'],
  ['file:///a/film.mp4', [{ prefix: 'p q' }], 0, 7, 'file:///a/p%20q_0007.png'],
  ['s3://b/film.mp4', [{ base_url: 's3://t/x/' }], 0, 0, 's3://t/x/frame_0000.png'],
  [
    's3://b/film.mp4',
    [
      { base_url: 's3://t/x', label: 'a' },
      { base_url: 's3://t/x', label: 'b' },
    ],
    1,
    0,
    's3://t/x/frame_b_0000.png',
  ],
  [
    's3://b/film.mp4',
    [
      { base_url: 's3://t/x', label: 'a' },
      { base_url: 's3://t/y', label: 'b' },
    ],
    1,
    0,
    's3://t/y/frame_0000.png',
  ],
  ['s3://b/v/film.mp4', [{ filename: 't/{{number}}' }], 0, 12, 's3://b/v/t/12.png'],
  ['hosted://token/film.mp4', [{ filename: 't/{{number}}' }], 0, 12, 'hosted://token/12.png'],
  ['s3://b/film.mp4', [{ filename: '{{ padded-number }}_{{size}}' }], 0, 12, 's3://b/0012_320x180.png'],
  ['s3://b/film.mp4', [{ filename: 'x.JPG', format: 'jpg' }], 0, 0, 's3://b/x.JPG'],
  [
    's3://b/film.mp4',
    [{ filename: '{{label}}-{{width}}-{{height}}-{{Number}}', label: 'a/b' }],
    0,
    0,
    's3://b/a_b-320-180-0.png',
  ],
  ['s3://b/film.mp4', [{ filename: '{{label}}x{{number}}', prefix: 'no' }], 0, 0, 's3://b/x0.png'],
];

for (const [url, thumbnails, setIndex, index, expected] of destinations) {
  test(`image ${index} of set ${setIndex} of ${JSON.stringify(thumbnails)} next to ${url} is at ${expected}`, () => {
    const output = { settings: { thumbnails }, destination: url, url };
    const thumbnail = { setIndex, index, width: 320, height: 180 };
    assert.is(destinationOfThumbnail(output, thumbnail).destination, expected);
  });
}

const settings: readonly OutputSettings[] = [
  { thumbnails: [{ number: 2 }, { times: [0, 1, 2], label: 'three', format: 'jpg' }] },
  {},
  { thumbnails: [{}] },
];
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
/** By output: the set and the index of each thumbnail that was taken. One time of the second set was after the end. */
const taken = [
  [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ],
  [],
  [[0, 0]],
] as const;

/** The job with its outputs finished in reverse order, except for omitted ones. */
function finished(outputs: readonly number[]): Job {
  const begun = [{ type: 'claimed', token: 'x' } as const, { type: 'inspected', media, file } as const];
  const ends = outputs.flatMap((outputIndex) => {
    const output = draft.number(10).outputs[outputIndex];
    assert.ok(output);
    const thumbnails = taken[outputIndex]?.map(([setIndex, index]) => {
      const thumbnail = { setIndex, index, width: 320, height: 180 };
      return { ...thumbnail, ...destinationOfThumbnail(output, thumbnail), sizeBytes: 5 };
    });
    return [
      { type: 'output-started', id: output.id, warnings: ['one'] } as const,
      {
        type: 'output-finished',
        id: output.id,
        media,
        file,
        thumbnails: thumbnails ?? [],
        warnings: ['two'],
      } as const,
    ];
  });
  return [...begun, ...ends].reduce<Job>((job, change) => apply(job, change, changedAt), draft.number(10));
}

test('thumbnails get the ids after those of all outputs, in the order of outputs, sets and images', () => {
  assert.is(draft.idCount, 2 + 3 + 2 + 3 + 1);
  const job = finished([2, 0, 1]);
  assert.equal(
    job.outputs.map(({ thumbnails }) => thumbnails.map(({ id }) => id)),
    [[15, 16, 17, 18], [], [20]],
  );
  assert.equal(job.outputs[0]?.warnings, ['one', 'two']);
});

test('an interval reserves as many ids as a set has at most', () => {
  const outputs = [{ settings: { thumbnails: [{ interval: 1 }, { interval_in_frames: 9 }, {}] } }];
  assert.is(reservedThumbnailIds(outputs), 1001);
});

test('thumbnails are shown once the job is complete, with the time of their creation and the label of their set', () => {
  assert.equal(jobRecord(finished([2, 0])).thumbnails, []);
  const at = changedAt.toISOString();
  const times = { created_at: at, updated_at: at };
  const url = 'http://localhost/hosted';
  assert.equal(jobRecord(finished([2, 0, 1])).thumbnails, [
    { id: 15, url: `${url}/t0/a_0000.png`, ...times },
    { id: 16, url: `${url}/t0/a_0001.png`, ...times },
    { id: 17, url: `${url}/t0/a_three_0000.jpg`, ...times, group_label: 'three' },
    { id: 18, url: `${url}/t0/a_three_0001.jpg`, ...times, group_label: 'three' },
    { id: 20, url: `${url}/t2/a_0000.png`, ...times },
  ]);
});

test('a failed job shows the thumbnails of its finished outputs', () => {
  const partly = finished([2, 0]);
  const id = partly.outputs[1]?.id ?? 0;
  const changes = [
    { type: 'output-started', id } as const,
    { type: 'output-failed', id, failure: sampleFailure } as const,
  ];
  const job = changes.reduce<Job>((one, change) => apply(one, change, changedAt), partly);
  assert.is(job.state, 'failed');
  assert.is(jobRecord(job).thumbnails.length, 5);
});

test('notifications list the thumbnails of each output by set', () => {
  const job = finished([2, 0, 1]);
  const bodyFor = (outputId: number | null) => {
    const target = { url: 'http://h', format: 'json', headers: {} } as const;
    return notificationRecord(job, {
      id: 'n',
      outputId,
      target,
      attempts: 0,
      dueAt: changedAt.toISOString(),
    });
  };
  const image = (name: string, format: string) => ({
    url: `http://localhost/hosted/t0/${name}`,
    format,
    file_size_bytes: 5,
    dimensions: '320x180',
  });
  const body = bodyFor(12);
  assert.equal('output' in body ? body.output.thumbnails : null, [
    { label: null, images: [image('a_0000.png', 'PNG'), image('a_0001.png', 'PNG')] },
    { label: 'three', images: [image('a_three_0000.jpg', 'JPG'), image('a_three_0001.jpg', 'JPG')] },
  ]);
  const ofJob = bodyFor(null);
  const counts = 'outputs' in ofJob ? ofJob.outputs.map(({ thumbnails }) => thumbnails?.length) : null;
  assert.equal(counts, [2, undefined, 1]);
});

test('the hosted files of a job include those of jobs of older versions, which stored no destination', () => {
  const job = finished([2, 0, 1]);
  const [first] = job.outputs;
  assert.ok(first);
  const thumbnails = first.thumbnails
    .slice(0, 2)
    .map(({ id, url, createdAt, updatedAt }) => ({ id, url, createdAt, updatedAt }));
  const old = { ...job, outputs: [{ ...first, thumbnails }] };
  assert.equal(hostedFilesOf(old), ['hosted://t0/a.mp4', 'hosted://t0/a_0000.png', 'hosted://t0/a_0001.png']);
  assert.is(hostedFilesOf(job).length, 3 + 5);
});

test('a resubmitted job keeps the thumbnails of the outputs that it keeps', () => {
  const failed = apply(finished([0, 1]), { type: 'output-started', id: 14 }, changedAt);
  const failure = { errorClass: 'ThumbnailError', message: 'none' } as const;
  const ended = apply(failed, { type: 'output-failed', id: 14, failure }, changedAt);
  const again = apply(ended, { type: 'resubmitted' }, changedAt);
  assert.equal(
    again.outputs.map(({ thumbnails }) => thumbnails.map(({ id }) => id)),
    [[15, 16, 17, 18], [], []],
  );
});

test.run();
