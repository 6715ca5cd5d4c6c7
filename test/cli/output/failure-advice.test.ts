import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainFailure } from '../../../daemon/ffmpeg/explain.js';
import { createSsrfGuard } from '../../../daemon/net/ssrf-guard.js';
import { verifyOutput } from '../../../daemon/pipeline/verify-output.js';
import { isVencError } from '../../../src/shared/errors.js';
import { adviceFor } from '../../../src/shared/text/advice.js';

/** The advice for an ffmpeg that ended in a way. */
function afterExit(signal: NodeJS.Signals | null, stderr: string): string | null {
  const exit = { exitCode: signal === null ? 1 : null, signal, startFailure: null, usage: null, stderr };
  const { errorClass, message } = explainFailure(exit, { folders: [] });
  return adviceFor(errorClass, message);
}

const exits = [
  ['SIGKILL', '', /^Free memory/],
  ['SIGTERM', '', /^Resubmit/],
  ['SIGSEGV', '', /^Play the input to its end[^;]*\.$/],
  [null, 'x264: malloc of size 9 failed', /^Free memory/],
  [null, "Unknown encoder 'libx999'", /^Use another ffmpeg/],
  [null, 'something unusual', /contains the error output of the encoder\.$/],
  [null, 'Invalid data found when processing input', /^Play the input to its end[^;]*\.$/],
  [null, 'moov atom not found', /^Get a complete copy/],
] as const;

for (const [signal, stderr, expected] of exits) {
  test(`the advice fits an encoder that ended with ${signal ?? stderr}`, () => {
    assert.match(afterExit(signal, stderr) ?? '', expected);
  });
}

test('a truncated input needs a complete copy', () => {
  const product = { expectedSeconds: 60, contentSeconds: 60, maxSeconds: null, video: null, audio: [] };
  const media = { durationSeconds: 12.5, video: null, audio: null };
  // The other fields of both are not read for a file that is too short.
  const { failure } = verifyOutput(product as never, media as never);
  assert.match(failure?.message ?? '', /^Only 12\.5 of 60\.0 seconds/);
  assert.is(
    adviceFor(failure?.errorClass ?? null, failure?.message ?? null),
    'Get a complete copy of the file.',
  );
});

test('a file that changed is not a matter of its server', () => {
  const message =
    'The file was replaced or changed after it was submitted to be read in place: submit it again.';
  assert.is(adviceFor('DownloadFailureError', message), null);
});

test('a metadata service has no flag that allows it', () => {
  const guard = createSsrfGuard({ allowPrivateNetwork: true });
  for (const [host, verb] of [
    ['169.254.169.254', 'is'],
    ['metadata.google.internal', 'resolves to'],
  ] as const) {
    try {
      guard.checkHost(host);
      assert.unreachable(host);
    } catch (error) {
      assert.ok(isVencError(error, 'ForbiddenAddressError'));
      assert.match(error.message, `${host} ${verb} the address of a cloud metadata service`);
      assert.is(adviceFor(error.errorClass, error.message), error.hint);
    }
  }
});

const messages: readonly (readonly [string, RegExp | null])[] = [
  ['The output has no video, and the input has no audio.', /^Use an input with audio/],
  ['The output has no audio, and the input has no video.', /^Use an input with video/],
  ['The file is truncated: its index (moov) is missing.', /^Get a complete copy/],
  ['No known format was found at the start of the file.', /^Check that it is a media file, and .* beginning/],
  ['The file is plain text, not media.', /web page/],
  ['The file is compressed with gzip.', /^Unpack it/],
  ['The file is a ZIP archive.', /^Unpack it/],
  [
    'The file has no samples: it is only the header of a segmented stream.',
    /^Put the header and its segments/,
  ],
  ['The file has no video and no audio.', /^Use a file with video or audio/],
  ['The file is empty.', null],
];

const unsupported: readonly (readonly [string, RegExp | null])[] = [
  ['The file is a playlist (HLS or M3U); the files that it refers to are not fetched.', /^Use a media file/],
  ['The file is a still image, not a video.', /^Use a video; an image .* watermark/],
  ['The file is an animated WebP image, which ffmpeg cannot decode.', /^Convert it to GIF/],
  ['The file is encrypted.', /^Use a copy that is not encrypted/],
  ['The video has 10000x10000 pixels, which is more than 36,000,000.', /^Scale the video down/],
  ['The video is Dolby Vision profile 5: only Dolby Vision players show its colours.', null],
  ['The file cannot be read (EACCES).', /^Make it readable/],
  ['This ffmpeg cannot decode the video codec qzx9 of the file.', /^Use a newer ffmpeg/],
  ['The format mpegvideo of the file is not supported.', /^Convert the file to a common format/],
];

for (const [errorClass, rows] of [
  ['NoMediaError', messages],
  ['UnsupportedInputError', unsupported],
] as const) {
  for (const [message, expected] of rows) {
    test(`the advice fits: ${message}`, () => {
      const advice = adviceFor(errorClass, message);
      if (expected === null) assert.is(advice, null);
      else assert.match(advice ?? '', expected);
    });
  }
}

test('a message that says everything and an unknown class have no advice', () => {
  assert.is(adviceFor('NoMediaError', 'The file is a web page.'), null);
  assert.is(adviceFor('SomebodyElsesError', 'It failed.'), null);
  assert.is(adviceFor(null, null), null);
});

test.run();
