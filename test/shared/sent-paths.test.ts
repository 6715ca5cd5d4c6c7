import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sentPath, toReportedErrors } from '../../src/shared/settings/sent-paths.js';

for (const [path, request, sent] of [
  [
    'outputs[0].thumbnails[0].format',
    { outputs: [{ thumbnails: { format: 'gif' } }] },
    'outputs[0].thumbnails.format',
  ],
  [
    'outputs[0].thumbnails[1].format',
    { outputs: [{ thumbnails: [{}, { format: 'gif' }] }] },
    'outputs[0].thumbnails[1].format',
  ],
  ['outputs[0].thumbnails[0]', { outputs: { thumbnail: {} } }, 'outputs[0].thumbnail'],
  [
    'outputs[1].bitrate_cap',
    { output: [{}, { decoder_bitrate_cap: 3, bitrate_cap: null }] },
    'outputs[1].decoder_bitrate_cap',
  ],
  ['outputs[0].h264_bframes', { outputs: [{ video_bframes: 3 }] }, 'outputs[0].h264_bframes'],
  ['outputs[0].width', { outputs: [{ size: '640x480' }] }, 'outputs[0].size'],
  ['outputs[0].width', { outputs: [{ size: '640x480', width: 2 }] }, 'outputs[0].width'],
  [
    'outputs[0].thumbnails[0].width',
    { outputs: [{ thumbnails: { size: '2x2' } }] },
    'outputs[0].thumbnails.size',
  ],
  ['outputs[0].keyframe_interval', { outputs: [{ 'keyframe-interval': 3 }] }, 'outputs[0].keyframe-interval'],
  ['outputs[0].notifications[0]', { outputs: [{ notifications: 'x' }] }, 'outputs[0].notifications'],
  ['outputs[0].widht', { outputs: [{ widht: 1 }] }, 'outputs[0].widht'],
  ['input', {}, 'input'],
  ['outputs[3].label', { outputs: 'x' }, 'outputs[3].label'],
] as const) {
  test(`the path ${path} is ${sent} in ${JSON.stringify(request)}`, () => {
    assert.is(sentPath(path, request), sent);
  });
}

test('errors of checks about a field that is invalid are left out, and so are repeated ones', () => {
  assert.equal(
    toReportedErrors(
      ['outputs[0].thumbnails.number must be a whole number', 'outputs[0] must not be empty'],
      [
        'outputs[0].thumbnails[0].number is too high',
        'outputs[0] must have a name',
        'outputs[0] must not be empty',
      ],
      { outputs: [{ thumbnails: { number: 'x' } }] },
    ),
    [
      'outputs[0].thumbnails.number must be a whole number',
      'outputs[0] must not be empty',
      'outputs[0] must have a name',
    ],
  );
});

test.run();
