import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { explainFailure, hasHiddenWriteError } from '../../daemon/ffmpeg/explain.js';
import type { ExitResult } from '../../daemon/ffmpeg/launch.js';

const failed: ExitResult = { exitCode: 1, signal: null, stderr: '', startFailure: null, usage: null };
const scratch = '/data/scratch/12';

const cases = [
  {
    stderr:
      'av_interleaved_write_frame(): No space left on device\nError writing trailer of /data/scratch/12/o.mp4: No space left on device\nConversion failed!\n',
    errorClass: 'OutOfSpaceError',
    message: 'The disk became full while encoding.',
  },
  {
    stderr:
      '[libx264 @ 0x55ca9380e9c0] requested bitrate is too low. estimated minimum is 8 kbps\nError initializing output stream 0:0 -- Error while opening encoder\n',
    errorClass: 'InvalidVideoSettingsError',
    message: 'The bitrate is too low: this video needs at least 8 kbit/s at its size and frame rate.',
  },
  {
    stderr: "Unknown encoder 'libx266'\n",
    errorClass: 'TranscodingError',
    message: 'This ffmpeg lacks the encoder libx266.',
  },
  {
    stderr: "[AVFilterGraph @ 0x55e177d8f1c0] No such filter: 'bwdif'\nError initializing filters\n",
    errorClass: 'TranscodingError',
    message: 'This ffmpeg lacks the filter bwdif.',
  },
  {
    stderr: "Unrecognized option 'fps_mode'.\nError splitting the argument list: Option not found\n",
    errorClass: 'TranscodingError',
    message: 'This ffmpeg does not know the option fps_mode.',
  },
  {
    stderr:
      '[webm @ 0x1] Could not find tag for codec h264 in stream #0, codec not currently supported in container\n',
    errorClass: 'InvalidCodecCombinationError',
    message: 'The container cannot hold h264.',
  },
  {
    stderr:
      '[mov,mp4 @ 0x1] moov atom not found\nfile:/data/scratch/12/input: Invalid data found when processing input\n',
    errorClass: 'NoMediaError',
    message: 'The input is truncated: the index of the file is missing.',
  },
  {
    stderr: 'file:/data/scratch/12/input: Invalid data found when processing input\n',
    errorClass: 'TranscodingError',
    message: 'The input is damaged: it contains invalid data.',
  },
  {
    stderr:
      '[png @ 0x1] [IMGUTILS @ 0x2] Picture size 12000x12000 exceeds specified max pixel count 36000000, see the documentation\n',
    errorClass: 'UnsupportedInputError',
    message: 'The video has 12000x12000 pixels, which is more than 36,000,000.',
  },
  {
    stderr: "Stream map '0:a:0' matches no streams.\n",
    errorClass: 'NoMediaError',
    message: 'The input lacks the requested video or audio.',
  },
  {
    stderr:
      '[libfoo @ 0x55e177d8f1c0] the moon is in the wrong phase for file:/data/scratch/12/a b.mp4\nConversion failed!\n\n',
    errorClass: 'TranscodingError',
    message: 'The encoder failed: libfoo: the moon is in the wrong phase for a b.mp4',
  },
  {
    stderr: 'cannot make sense of /home/somebody/films/holiday.mov\n',
    errorClass: 'TranscodingError',
    message: 'The encoder failed: cannot make sense of holiday.mov',
  },
  {
    stderr: 'Conversion failed!\n',
    errorClass: 'TranscodingError',
    message: 'The encoder ended with code 1.',
  },
] as const;

for (const { stderr, ...expected } of cases) {
  test(`stderr of ffmpeg is explained as: ${expected.message}`, () => {
    const failure = explainFailure({ ...failed, stderr }, { folders: [scratch] });
    assert.equal(failure, expected);
    assert.not.match(failure.message, scratch);
  });
}

test('an external kill is reported as such, even if ffmpeg printed errors before', () => {
  const stderr = 'Invalid data found when processing input\n';
  const ended = (signal: string | null, exitCode: number | null) =>
    explainFailure({ ...failed, stderr, exitCode, signal }, { folders: [] }).message;
  assert.match(ended('SIGKILL', null), 'memory');
  assert.is(ended('SIGTERM', null), 'The encoder was terminated by another process.');
  assert.is(ended(null, 255), 'The encoder was terminated by another process.');
  assert.is(ended('SIGSEGV', null), 'The encoder crashed (SIGSEGV).');
});

test('a program that could not be started is reported with the error code of the system', () => {
  const failure = explainFailure({ ...failed, exitCode: null, startFailure: 'ENOENT' }, { folders: [] });
  assert.is(failure.message, 'ffmpeg could not be started (ENOENT).');
});

test('an incomplete trailer counts as a failure although ffmpeg exits with 0', () => {
  assert.ok(hasHiddenWriteError('Error writing trailer of o.mp4: No space left on device\n'));
  assert.not(hasHiddenWriteError('[h264 @ 0x1] error while decoding MB 0 2, bytestream 467\n'));
});

test.run();
