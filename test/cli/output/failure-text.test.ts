import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeFailureText, failureText } from '../../../src/cli/output/progress-text.js';
import { normaliseJob } from '../../../src/shared/client/normalise.js';

const noMedia = 'check that it is a media file and not, for example, a web page';
const denied = 'grant write permission at the destination, then resubmit';
const local = {
  input: null,
  destinations: ['a.mp4', 'b.mp4', 'c.mp4'],
  asTyped: (text: string) => text,
};

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

test('the report of a failed local encode names files, and mentions no id, no job and no resubmit', () => {
  assert.equal(encodeFailureText(failed, local).split('\n'), [
    'venc: the encode failed',
    'venc:   input: NoMediaError: It holds no video.',
    'venc:   a.mp4: UploadAccessDeniedError: Refused.',
    'venc:   b.mp4: UploadAccessDeniedError: Refused.',
    'venc:   c.mp4: SomebodyElsesError',
    `venc: hint: ${noMedia}`,
    'venc: hint: grant write permission at the destination, then run it again',
    '',
  ]);
});

test('a local run whose files were encoded but not delivered says so, and advises in terms of this machine', () => {
  const full = normaliseJob({
    id: 7,
    state: 'failed',
    input_media_file: { id: 3 },
    output_media_files: [
      { id: 4, error_class: 'UploadFailureError', error_message: 'start_clip is odd.' },
      { id: 5, error_class: null },
    ],
  });
  const text = encodeFailureText(full, { ...local, asTyped: (message, index) => `${index} ${message}` });
  assert.match(text, /^venc: the delivery failed\nvenc: {3}a\.mp4: UploadFailureError: 0 start_clip/);
});

/** The advice of a local run for an error. */
function localHint(errorClass: string, message: string): string | undefined {
  const job = normaliseJob({
    id: 7,
    state: 'failed',
    input_media_file: { id: 3, error_class: errorClass, error_message: message },
    output_media_files: [],
  });
  return /^venc: hint: (.*)$/m.exec(encodeFailureText(job, local))?.[1];
}

const advised = [
  ['OutOfSpaceError', 'The disk became full while encoding.', /^free space in the temporary folder.*TMPDIR/],
  [
    'OutOfSpaceError',
    'There is no space left in /media.',
    /^free space there, or name another folder with -o/,
  ],
  ['DownloadTimeoutError', 'h did not answer.', /run it again$/],
  ['ThumbnailError', 'None.', /^run it again; if it fails again/],
] as const;

for (const [errorClass, message, expected] of advised) {
  test(`advice about ${errorClass} fits a local run: ${message}`, () => {
    assert.match(localHint(errorClass, message) ?? '', expected);
  });
}

test.run();
