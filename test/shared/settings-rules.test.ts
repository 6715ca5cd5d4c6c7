import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { validationErrorsFor as errorsOfBody, input } from './reading.js';

const url = 'ftp://example.com/';
const validationErrorsFor = (...outputs: readonly unknown[]) => errorsOfBody({ input, outputs });

const cases: readonly (readonly [Readonly<Record<string, unknown>>, string | undefined])[] = [
  [{ size: '640x480', width: 320 }, undefined],
  [{ size: '640x480', height: '470', strict: true }, 'outputs[0].size must not be given with height'],
  [{ size: '8192x8192', width: 320 }, undefined],
  [
    { keyframe_interval: 5, keyframe_rate: 1, strict: true },
    'outputs[0].keyframe_rate must not be given with keyframe_interval',
  ],
  [{ min_frame_rate: 30, max_frame_rate: 25 }, 'outputs[0].min_frame_rate must not be above max_frame_rate'],
  [{ min_frame_rate: 25, max_frame_rate: 25 }, undefined],
  [{ size: '640x480', width: 640 }, undefined],
  [{ width: 6000, height: 6000 }, undefined],
  [{ width: 6000, height: 6002 }, 'outputs[0].width times height must be at most 36000000 pixels'],
  [{ size: '8192x8192' }, 'outputs[0].size must be at most 36000000 pixels'],
  [{ width: 8192 }, undefined],
  [{ metadata: { timecode: '23:59:59;29', creation_time: '2026-05-06 07:08:09+02:00' } }, undefined],
  [{ metadata: { timecode: '', Creation_Time: '' } }, undefined],
  [
    { metadata: { timecode: '24:00:00:00' } },
    'outputs[0].metadata.timecode must be a timecode, such as 01:00:00:00',
  ],
  [
    { metadata: { creation_time: '2026-05-06' } },
    'outputs[0].metadata.creation_time must be a time, such as 2026-05-06T07:08:09Z',
  ],
  [
    { skip_audio: 'true', skip_video: 1 },
    'outputs[0] must not have both skip_audio and skip_video, because the output would be empty',
  ],
  [{ skip_audio: true, skip_video: false }, undefined],
  [{ bitrate_cap: 499, video_bitrate: 500 }, 'outputs[0].bitrate_cap must not be below video_bitrate'],
  [
    { decoder_bitrate_cap: '499', video_bitrate: '500' },
    'outputs[0].bitrate_cap must not be below video_bitrate',
  ],
  [{ bitrate_cap: 500, video_bitrate: 500 }, undefined],
  [{ quality_target: 90, quality_floor: 90 }, undefined],
  [{ quality_target: 90, quality_check: 'none' }, undefined],
  [{ quality_target: 90, quality_floor: 80, quality_check: 'samples' }, undefined],
  [
    { quality_target: 90, quality_floor: 80, quality_check: 'none' },
    'outputs[0].quality_check must not be none with quality_floor',
  ],
  [
    { measure_quality: true, quality_check: 'none' },
    'outputs[0].quality_check must not be none with measure_quality',
  ],
  [{ quality_target: 90, quality_floor: 90.5 }, 'outputs[0].quality_floor must not be above quality_target'],
  [{ quality_target: 39 }, 'outputs[0].quality_target must be a number from 40 to 99'],
  [{ quality_target: 99.5 }, 'outputs[0].quality_target must be a number from 40 to 99'],
  [{ quality_target: 100 }, 'outputs[0].quality_target must be a number from 40 to 99'],
  [
    { quality_target: 90, target_size: '10MB' },
    'outputs[0].target_size must not be given with quality_target',
  ],
  [{ url: 'ftp://example.com:65535/a.mp4' }, undefined],
  [{ url: 'ftp://user:99999@example.com:65536/a.mp4' }, 'outputs[0].url must have a port from 1 to 65535'],
  [{ url: 'ftp://[::1]:99999/a.mp4' }, 'outputs[0].url must have a port from 1 to 65535'],
  [
    { url: 's3:///a.mp4' },
    'outputs[0].url must be a URL with a scheme and a host or bucket, such as http://example.com/video.mp4',
  ],
  [{ filename: `${'a'.repeat(251)}.mp4` }, undefined],
  [
    { filename: `${'a'.repeat(252)}.mp4` },
    'outputs[0].filename must have at most 255 bytes in each part of the path',
  ],
  [{ filename: `${'ä'.repeat(125)}x.mp4` }, undefined],
  [
    { filename: `${'ä'.repeat(126)}.mp4` },
    'outputs[0].filename must have at most 255 bytes in each part of the path',
  ],
  [{ filename: `${'a'.repeat(246)}.mp4`, thumbnails: {} }, undefined],
  [
    { filename: `${'a'.repeat(247)}.mp4`, thumbnails: {} },
    'outputs[0].thumbnails[0] would have names of more than 255 bytes: shorten the names of the images or of the video',
  ],
  [{ filename: 'folder/with spaces/ünï.mp4' }, undefined],
  [{ filename: '../a.mp4' }, 'outputs[0].filename must not have "." or ".." as a part of the path'],
  [{ filename: 'a..b/..c.mp4' }, undefined],
  [{ url: `${url}${'%61'.repeat(255)}` }, undefined],
  [
    { url: `${url}${'a'.repeat(256)}` },
    'outputs[0].url must have at most 255 bytes in each part of its path',
  ],
  [
    { url: `${url}${'a'.repeat(247)}.mp4`, thumbnails: [{}] },
    'outputs[0].thumbnails[0] would have names of more than 255 bytes: shorten the names of the images or of the video',
  ],
  [
    { url: `file:///${'a'.repeat(256)}/b` },
    'outputs[0].url must have at most 255 bytes in each part of its path',
  ],
  [
    { base_url: `${url}${'ä'.repeat(128)}/b` },
    'outputs[0].base_url must have at most 255 bytes in each part of its path',
  ],
];

for (const [settings, text] of cases) {
  const shown = JSON.stringify(settings).replace(/(.)\1{20,}/g, '$1...');
  test(`${shown} ${text === undefined ? 'is valid' : 'is a validation error'}`, () => {
    assert.equal(validationErrorsFor(settings), text === undefined ? [] : [text]);
  });
}

test('a label is unique within a job, in any letter case, and outputs without a label do not conflict', () => {
  assert.equal(validationErrorsFor({ label: 'web' }, {}, {}, { label: 'web' }, { label: 'Web' }), [
    'outputs[3].label must be unique, but outputs[0] has the same label',
    'outputs[4].label must be unique, but outputs[0] has the same label',
  ]);
});

test('rules between settings are reported together with those of single settings', () => {
  assert.equal(
    validationErrorsFor(
      { label: 'a', speed: 9, skip_audio: 1, skip_video: 1 },
      { label: 'a', video_bitrate: 9, bitrate_cap: 1 },
    ),
    [
      'outputs[0].speed must be a whole number from 1 to 5',
      'outputs[0] must not have both skip_audio and skip_video, because the output would be empty',
      'outputs[1].bitrate_cap must not be below video_bitrate',
      'outputs[1].label must be unique, but outputs[0] has the same label',
    ],
  );
});

for (const address of [
  'http://example.com',
  'https://user:p%40ss@example.com:8443/a%20b.mp4?x=1#y',
  'HTTP://EXAMPLE.COM/a b.mp4',
  'http://[2001:db8::1]/a',
  'http://2130706433/a',
  'ftp://me@corp.example:secret@host/a.mp4',
  'ftps://host:990/a',
  'sftp://user@host/a',
  's3://my.bucket_name/some/key with spaces.mp4',
  'gcs://bucket/key',
  'cf://user:apikey@container/object',
  'fasp://host/a',
  'upload://token/name.mp4',
  'file:///videos/a.mp4',
  'file:/videos/a.mp4',
  'file://localhost/videos/a.mp4',
  'http://bücher.example/ä.mp4',
]) {
  test(`${address} is a valid address`, () => {
    const parseRequest = parseJobRequest({ input: address }, { maxOutputs: 1 });
    assert.ok(parseRequest.ok && parseRequest.request.input === address);
  });
}

test('an address of 2048 characters is accepted and one of 2049 is rejected', () => {
  const long = (length: number) => ({ input: `http://example.com/${'ä'.repeat(length - 19)}` });
  assert.ok(parseJobRequest(long(2048), { maxOutputs: 1 }).ok);
  assert.not.ok(parseJobRequest(long(2049), { maxOutputs: 1 }).ok);
});

test('255 characters are counted as a reader counts them', () => {
  assert.equal(validationErrorsFor({ label: '🎬'.repeat(255) }), []);
  assert.equal(validationErrorsFor({ label: '🎬'.repeat(256) }), [
    'outputs[0].label must have at most 255 characters',
  ]);
});

test.run();
