import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { startTestDaemon, type TestDaemon } from '../helpers/daemon.js';

const test = suite<{ daemon: TestDaemon }>('validation errors');

test.before(async (context) => {
  context.daemon = await startTestDaemon({ jobs: 0 });
});
test.after(({ daemon }) => daemon.stop());

const input = 'http://127.0.0.1:9/nothing.mp4';

/** Requests, and the fields that the errors of the answer are about, in order. */
const requests: readonly (readonly [string, object, readonly string[]])[] = [
  [
    'of several fields',
    { input: 'nonsense', outputs: [{ speed: 9 }, { width: 'wide', quality: 0 }] },
    ['input', 'outputs[0].speed', 'outputs[1].width', 'outputs[1].quality'],
  ],
  [
    'of codecs, destinations and sources besides those of fields',
    {
      outputs: [
        { label: 'A', width: 'x', format: 'mp3', video_codec: 'h264', source: 'b' },
        { speed: 9, url: 'gopher://x/y.mp4', thumbnail: { number: 2, filename: 'x' } },
      ],
    },
    [
      'outputs[0].width',
      'outputs[1].speed',
      'outputs[1].thumbnail.filename',
      'outputs[0].source',
      'outputs[0].video_codec',
      'outputs[1].url',
    ],
  ],
  [
    'of an output whose format is invalid, except those that depend on the format',
    {
      outputs: [
        { format: 'x', audio_codec: 'mp3', drm: { method: 'x' }, watermark: { url: 'gopher://x/y.png' } },
      ],
    },
    ['outputs[0].format', 'outputs[0].drm', 'outputs[0].watermark.url'],
  ],
  [
    'but not of a source that may name an output with an invalid label',
    { outputs: [{ label: ['c'] }, { source: 'c' }] },
    ['outputs[0].label'],
  ],
];

for (const [what, body, fields] of requests) {
  test(`one answer has all errors ${what}`, async ({ daemon }) => {
    const response = await daemon.request('/v2/jobs', {
      method: 'POST',
      body: JSON.stringify({ input, ...body }),
    });
    assert.is(response.status, 422);
    const { errors } = (await response.json()) as ErrorsRecord;
    assert.equal(
      errors.map((sentence) => sentence.split(' ', 1)[0]),
      fields,
    );
  });
}

test.run();
