import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { draftJob } from '../../daemon/jobs/draft.js';
import { parseWorkerChange } from '../../daemon/jobs/worker-changes.js';
import { isVencError } from '../../src/shared/errors.js';
import { sampleFile, sampleMedia } from '../helpers/sample-job.js';
import { mediaFacts, videoFacts } from '../plan/facts.js';

const job = draftJob({
  accountId: '1',
  request: { input: 'http://localhost/in.mp4', outputs: [] },
  test: false,
  outputs: [
    {
      settings: { thumbnails: [{ number: 2, label: 'small' }] },
      outputDestination: { destination: 'hosted://token/a.mp4', url: 'http://localhost/hosted/token/a.mp4' },
    },
  ],
  now: new Date(0),
}).number(1);
const id = job.outputs[0]?.id ?? 0;
const finished = { type: 'output-finished', id, media: sampleMedia, file: sampleFile };
const failure = { errorClass: 'TranscodingError', message: 'It failed.' };
const thumbnail = {
  ...{ setIndex: 0, index: 1, width: 64, height: 36, sizeBytes: 10 },
  destination: 'hosted://token/a_0001.png',
  url: 'http://localhost/hosted/token/a_0001.png',
};

const red = { x: 0.708, y: 0.292 };
const hdrMedia = mediaFacts({
  video: videoFacts({
    hdr: {
      mastering: { red, green: red, blue: red, whitePoint: red, luminance: { min: 0.0001, max: 1e6 } },
      lightLevels: { maxContent: 1000, maxAverage: 400 },
      hasHdr10Plus: true,
    },
    dolbyVision: { profile: 8, compatibility: 1, hasOwnTag: true },
  }),
});

const valid: readonly (readonly [string, object])[] = [
  ['inspected', { type: 'inspected', media: null, file: sampleFile }],
  ['an inspected HDR video', { type: 'inspected', media: hdrMedia, file: sampleFile }],
  ['a failed input', { type: 'input-failed', failure }],
  ['a started output', { type: 'output-started', id, warnings: ['It is slower.'] }],
  ['a finished output', finished],
  ['a finished output with a thumbnail', { ...finished, thumbnails: [thumbnail] }],
  ['a skipped output', { type: 'output-skipped', id, reason: 'The input is too small.' }],
];
for (const [what, change] of valid) {
  test(`${what} is a change of a worker`, () => {
    assert.equal(parseWorkerChange(job, { number: 1, change }), { number: 1, change });
  });
}

test('a chosen ladder is a change of a worker, if the job has one', () => {
  const points = [
    { height: 720, crf: 21.5, score: 93.1, kbps: 1200, rendition: 1 },
    { height: 540, crf: 28, score: 80, kbps: 500, rendition: null },
  ];
  const body = { number: 1, change: { type: 'ladder-chosen', points } };
  assert.equal(parseWorkerChange({ ...job, ladder: { options: {} } }, body), body);
  assert.throws(() => parseWorkerChange(job, body), /job 1 has no ladder to choose/);
  const wrong = { number: 1, change: { type: 'ladder-chosen', points: [{ height: 720 }] } };
  assert.throws(() => parseWorkerChange(job, wrong), /change\.points\[0\]\.crf is missing/);
});

const invalid: readonly (readonly [string, object, RegExp])[] = [
  ...['cancelled', 'claimed', 'resubmitted', 'released', 'lost', 'queued', 'notification-delivered'].map(
    (type) => [type, { type, token: 'a', notificationId: '1' }, /change\.type must be one of/] as const,
  ),
  ['an output of another job', { ...finished, id: id + 100 }, /id must be that of an output/],
  ['an MD5 that is text', { ...finished, file: { sizeBytes: 1, md5: 'no' } }, /change\.file\.md5 must be/],
  [
    'a negative size',
    { ...finished, file: { ...sampleFile, sizeBytes: -1 } },
    /change\.file\.sizeBytes must be/,
  ],
  ['a size that is text', { ...finished, file: { ...sampleFile, sizeBytes: '1' } }, /sizeBytes must be/],
  ['no media', { type: 'output-finished', id, file: sampleFile }, /change\.media is missing/],
  [
    'media with a text for the video',
    { ...finished, media: { ...sampleMedia, video: 'x' } },
    /media\.video must be/,
  ],
  [
    'a very long warning',
    { type: 'output-started', id, warnings: ['x'.repeat(100_001)] },
    /warnings\[0\] must be/,
  ],
  ['too many warnings', { type: 'output-started', id, warnings: Array(1001).fill('x') }, /at most 1000/],
  [
    'a class of requests',
    { type: 'input-failed', failure: { ...failure, errorClass: 'UsageError' } },
    /errorClass/,
  ],
  [
    'a thumbnail elsewhere',
    { ...finished, thumbnails: [{ ...thumbnail, url: 'http://elsewhere/' }] },
    /thumbnails\[0\]/,
  ],
  ['a thumbnail too many', { ...finished, thumbnails: [{ ...thumbnail, index: 2 }] }, /thumbnails\[0\]/],
  ['a thumbnail twice', { ...finished, thumbnails: [thumbnail, thumbnail] }, /same image twice/],
  ['a secondary delivery without one', { ...finished, primaryUploadError: 'It failed.' }, /no secondary_url/],
  [
    'captions in another folder',
    { ...finished, captionFiles: [{ name: '../a.vtt', language: null, label: 'a' }] },
    /captionFiles\[0\]\.name must be/,
  ],
];
for (const [what, change, expected] of invalid) {
  test(`${what} is no change of a worker`, () => {
    assert.throws(
      () => parseWorkerChange(job, { number: 1, change }),
      (error: unknown) => isVencError(error, 'InvalidRequestError') && expected.test(error.message),
    );
  });
}

test('members that are not known are left out, and secrets in messages are masked', () => {
  const message = 'http://me:hunter2@host/ failed.';
  const { change } = parseWorkerChange(job, {
    number: 1,
    more: 1,
    change: { type: 'output-failed', id, failure: { ...failure, message, stack: 'x' }, state: 'finished' },
  });
  const masked = { ...failure, message: 'http://me:***@host/ failed.' };
  assert.equal(change, { type: 'output-failed', id, failure: masked });
});

test.run();
