import * as assert from 'uvu/assert';
import type { ErrorsRecord } from '../../src/shared/records.js';
import { daemonSuite } from '../helpers/daemon.js';

const test = daemonSuite('validation errors', { jobs: 0 });

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
    'of codecs if the format is known, although the name or the device profile is invalid',
    {
      outputs: [
        { filename: '../x', format: 'webm', video_codec: 'h264' },
        { filename: '../x', video_codec: 'h264', audio_codec: 'vorbis' },
        { device_profile: 'x', format: 'mp3', video_codec: 'h264' },
      ],
    },
    [
      'outputs[0].filename',
      'outputs[1].filename',
      'outputs[2].device_profile',
      'outputs[0].video_codec',
      'outputs[2].video_codec',
    ],
  ],
  [
    'of a device profile whose settings do not fit, under the name that was sent',
    {
      outputs: [
        { device_profile: 'v1/mobile/legacy', format: 'mkv' },
        { device_profile: 'v1/mobile/legacy', type: 'segmented' },
        { device_profile: 'v1/mobile/legacy', filename: '../x', format: 'mp3' },
      ],
    },
    [
      'outputs[2].filename',
      'outputs[0].device_profile',
      'outputs[1].device_profile',
      'outputs[2].device_profile',
    ],
  ],
  [
    'of a destination, although the codec is invalid',
    { outputs: [{ video_codec: 'x', url: 'gopher://x/y.mp4' }] },
    ['outputs[0].video_codec', 'outputs[0].url'],
  ],
  [
    'within sets of thumbnails and skip rules of which one is invalid',
    {
      outputs: [
        {
          skip: { min_size: '10x', min_duration: 9, max_duration: 3 },
          thumbnails: [
            { label: 'a', format: 'bmp' },
            { label: 'a', number: 3, filename: 'x' },
          ],
        },
      ],
    },
    [
      'outputs[0].thumbnails[0].format',
      'outputs[0].skip.min_size',
      'outputs[0].skip.min_duration',
      'outputs[0].thumbnails[1].label',
      'outputs[0].thumbnails[1].filename',
    ],
  ],
  [
    'once: not of files that follow from a repeated label, nor of an encoder for an unsupported codec',
    {
      outputs: [
        { thumbnails: [{ label: 'a' }, { label: 'a' }] },
        { audio_codec: 'amr', format: '3gp' },
        { copy_video: true, format: 'ogg', audio_codec: 'mp3' },
      ],
    },
    ['outputs[0].thumbnails[1].label', 'outputs[1].audio_codec', 'outputs[2].audio_codec'],
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
