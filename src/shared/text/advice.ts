import { type ErrorClass, errorClasses, isErrorClass } from '../error-classes.js';

const completeCopy = 'Get a complete copy of the file.';
const otherFfmpeg = 'Use another ffmpeg (--ffmpeg or VENC_FFMPEG); venc doctor shows what it can encode.';

/**
 * Advice for messages that the advice of their class does not fit. Null where the message says everything. The
 * messages are those of the daemon; other services have the advice of the class.
 */
const adviceByMessage: readonly (readonly [ErrorClass, RegExp, string | null])[] = [
  ['NoMediaError', /truncated|damaged at byte/, completeCopy],
  [
    'NoMediaError',
    /^The input has no programme/,
    'Set program to a programme of the input, or leave it out.',
  ],
  ['NoMediaError', /^The output has no video/, 'Use an input with audio, or an output with video.'],
  ['NoMediaError', /^The output has no audio/, 'Use an input with video, or an output with audio.'],
  ['NoMediaError', /compressed with|archive\.$/, 'Unpack it first, and use the media file in it.'],
  ['NoMediaError', /^The file is (?!plain text)/, null],
  [
    'NoMediaError',
    /^The file has no samples/,
    'Put the header and its segments into one file, in this order.',
  ],
  ['NoMediaError', /^The file has no video and no audio/, 'Use a file with video or audio.'],
  [
    'NoMediaError',
    /^No known format/,
    'Check that it is a media file, and that its beginning is not missing or behind other data.',
  ],
  ['NoMediaError', / has no video\.$/, 'Use a file with video.'],
  ['DownloadFailureError', /^The file was replaced or changed/, null],
  ['UnsupportedInputError', /is a playlist/, 'Use a media file that the playlist names.'],
  ['UnsupportedInputError', /animated WebP/, 'Convert it to GIF or to a video first.'],
  [
    'UnsupportedInputError',
    /is a still image/,
    'Use a video; an image can only be drawn on one, as a watermark.',
  ],
  ['UnsupportedInputError', /is encrypted/, 'Use a copy that is not encrypted.'],
  ['UnsupportedInputError', /pixels, which is more than/, 'Scale the video down first.'],
  ['UnsupportedInputError', /^The video is Dolby Vision/, null],
  ['UnsupportedInputError', /^The file cannot be read/, 'Make it readable for the user of venc.'],
  [
    'UnsupportedInputError',
    /^This ffmpeg cannot decode/,
    'Use a newer ffmpeg (venc doctor shows which is used), or convert the file first.',
  ],
  ['TranscodingError', /ran out of memory/, 'Free memory, or encode fewer files at once, then resubmit.'],
  ['TranscodingError', /was terminated by another process/, 'Resubmit the job.'],
  ['TranscodingError', /truncated/, completeCopy],
  [
    'TranscodingError',
    / cannot decode the .* \(7\.0\)\.$/,
    'Then run it again; venc doctor shows which ffmpeg is used.',
  ],
  [
    'TranscodingError',
    /It was not tried with /,
    'Leave out --ffmpeg and VENC_FFMPEG, or name the newer one; venc doctor shows where it is.',
  ],
  ['TranscodingError', /^This ffmpeg |^ffmpeg could not be started/, otherFfmpeg],
  ['TranscodingError', /^The encoder has no permission/, 'Make the data folder writable, then resubmit.'],
  [
    'TranscodingError',
    /^The encoder failed: /,
    'Play the input to its end to see whether it is damaged; the message contains the error output of the encoder.',
  ],
  ['ForbiddenAddressError', /metadata service/, 'Use another address.'],
  [
    'OutOfSpaceError',
    /^There is no space left in \//,
    'Free space there, or name another folder, then resubmit.',
  ],
];

/**
 * What the user can do about a failure, including whether to retry: advice for its message, else that of its class.
 * Null if the class is unknown or the message says everything. Pure.
 */
export function adviceFor(errorClass: string | null, message: string | null): string | null {
  if (errorClass === null || !isErrorClass(errorClass)) return null;
  const row = adviceByMessage.find(([name, pattern]) => name === errorClass && pattern.test(message ?? ''));
  return row === undefined ? errorClasses[errorClass].advice : row[2];
}
