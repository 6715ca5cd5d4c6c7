import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeFailureText, failureText } from '../../../src/cli/output/progress-text.js';
import { normaliseJob } from '../../../src/client/normalise.js';

const noMedia = 'Check that it is a media file and not, for example, a web page.';
const denied = 'Grant write permission at the destination, then resubmit.';

const failed = normaliseJob({
  id: 7,
  state: 'failed',
  input_media_file: { id: 3, error_class: 'NoMediaError', error_message: 'It holds no video.' },
  output_media_files: [
    { id: 4, error_class: 'UploadAccessDeniedError', error_message: 'Refused.' },
    { id: 5, error_class: 'UploadAccessDeniedError', error_message: 'Refused.' },
    { id: 6, error_class: 'SomebodyElsesError', error_message: null },
  ],
});

test('a failed job is reported file by file, with each advice once', () => {
  assert.equal(failureText(failed).split('\n'), [
    'venc: job 7 failed',
    'venc:   input 3: NoMediaError: It holds no video.',
    'venc:   output 4: UploadAccessDeniedError: Refused.',
    'venc:   output 5: UploadAccessDeniedError: Refused.',
    'venc:   output 6: SomebodyElsesError',
    `venc: hint: ${noMedia}`,
    `venc: hint: ${denied}`,
    '',
  ]);
});

test('the report of a failed local encode mentions no job and no resubmit', () => {
  const text = encodeFailureText(failed);
  assert.match(text, /^venc: the encode failed\nvenc: {3}input: NoMediaError/);
  assert.ok(text.includes(noMedia));
  assert.not.ok(text.includes(denied));
});

test.run();
