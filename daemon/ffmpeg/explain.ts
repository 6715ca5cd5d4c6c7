import type { ErrorClass } from '../../src/shared/error-classes.js';
import { VencError } from '../../src/shared/errors.js';
import type { JobFailure } from '../jobs/job.js';
import type { ExitResult } from './launch.js';

interface FailurePattern {
  readonly pattern: RegExp;
  readonly errorClass: ErrorClass;
  /** The sentence; `$1` is the first captured group. */
  readonly message: string;
}

/** Messages of ffmpeg and their meaning, the most specific first. */
const failurePatterns = [
  {
    pattern: /No space left on device|Disk quota exceeded|File too large/,
    errorClass: 'OutOfSpaceError',
    message: 'The disk became full while encoding.',
  },
  {
    pattern: /Cannot allocate memory|Out of memory|malloc of size \d+ failed/i,
    errorClass: 'TranscodingError',
    message: 'The encoder ran out of memory.',
  },
  {
    pattern: /Protocol '\S+' not on whitelist/,
    errorClass: 'UnsupportedInputError',
    message: 'The input refers to other files, which are not read.',
  },
  {
    pattern: /Format not on whitelist/,
    errorClass: 'UnsupportedInputError',
    message: 'The format of the input is not supported.',
  },
  {
    pattern: /Picture size (\d+x\d+) exceeds specified max pixel count/,
    errorClass: 'UnsupportedInputError',
    message: 'The video has $1 pixels, which is more than 36,000,000.',
  },
  {
    pattern: /Unknown encoder '([^']+)'|Automatic encoder selection failed/,
    errorClass: 'TranscodingError',
    message: 'This ffmpeg lacks the encoder $1.',
  },
  {
    pattern: /No such filter: '([^']+)'/,
    errorClass: 'TranscodingError',
    message: 'This ffmpeg lacks the filter $1.',
  },
  {
    pattern: /Unrecognized option '([^']+)'|Option (\S+) not found|Unrecognized option (\S+)/,
    errorClass: 'TranscodingError',
    message: 'This ffmpeg does not know the option $1.',
  },
  {
    pattern: /Could not find tag for codec (\S+) in stream|codec (\S+) not currently supported in container/i,
    errorClass: 'InvalidCodecCombinationError',
    message: 'The container cannot hold $1.',
  },
  {
    pattern: /Specified sample rate (\d+) is not supported|Unsupported sample rate (\d+)/i,
    errorClass: 'InvalidAudioSettingsError',
    message: 'The audio codec does not support a sample rate of $1 Hz.',
  },
  {
    pattern: /requested bitrate is too low\. estimated minimum is (\d+) kbps/,
    errorClass: 'InvalidVideoSettingsError',
    message: 'The bitrate is too low: this video needs at least $1 kbit/s at its size and frame rate.',
  },
  {
    pattern: /(?:width|height) not divisible by 2/,
    errorClass: 'InvalidVideoSettingsError',
    message: 'The codec needs an even width and height.',
  },
  {
    pattern: /Stream map '[^']*' matches no streams|does not contain any stream/,
    errorClass: 'NoMediaError',
    message: 'The input lacks the requested video or audio.',
  },
  {
    pattern: /moov atom not found/,
    errorClass: 'NoMediaError',
    message: 'The input is truncated: the index of the file is missing.',
  },
  {
    pattern:
      /Error while decoding stream|Error submitting (?:a )?packet to (?:the )?decoder|error rate .* exceeds/i,
    errorClass: 'TranscodingError',
    message: 'The input is damaged: it could not be decoded.',
  },
  {
    pattern: /Invalid data found when processing input/,
    errorClass: 'TranscodingError',
    message: 'The input is damaged: it contains invalid data.',
  },
  {
    pattern: /Read-only file system|Permission denied/,
    errorClass: 'TranscodingError',
    message: 'The encoder has no permission to write to its folder.',
  },
] as const satisfies readonly FailurePattern[];

function failureFor(failurePattern: FailurePattern, stderr: string): JobFailure {
  const captured = failurePattern.pattern
    .exec(stderr)
    ?.slice(1)
    .find((text) => text !== undefined);
  return {
    errorClass: failurePattern.errorClass,
    message: failurePattern.message.replace('$1', captured ?? 'that it needs'),
  };
}

/** Describes the signal that ended a program; null if it ended by itself. */
function explainSignal({ signal, exitCode }: ExitResult): string | null {
  if (signal === 'SIGKILL') return 'The encoder was killed, perhaps because the machine ran out of memory.';
  // ffmpeg handles termination signals and then exits with 255.
  if (signal === 'SIGTERM' || exitCode === 255) return 'The encoder was terminated by another process.';
  return signal === null ? null : `The encoder crashed (${signal}).`;
}

/** Whether ffmpeg exited with 0 although a write failed: old versions do if only the end of a file is lost. */
export function hasHiddenWriteError(stderr: string): boolean {
  return /No space left on device|Error writing trailer|Error closing file/.test(stderr);
}

/**
 * Explains why an ffmpeg run failed: one sentence and its error class. A signal takes precedence over messages, because
 * a message about the input does not end the process. The sentence contains no path of this machine.
 */
export function explainFailure(exit: ExitResult, redaction: RedactionOptions): JobFailure {
  const transcodingFailure = (message: string): JobFailure => ({ errorClass: 'TranscodingError', message });
  if (exit.startFailure !== null)
    return transcodingFailure(`ffmpeg could not be started (${exit.startFailure}).`);
  const signalMessage = explainSignal(exit);
  if (signalMessage !== null) return transcodingFailure(signalMessage);
  const failurePattern = failurePatterns.find(({ pattern }) => pattern.test(exit.stderr));
  if (failurePattern !== undefined) return failureFor(failurePattern, exit.stderr);
  const detail = lastErrorLine(exit.stderr, redaction);
  return transcodingFailure(
    detail === null ? `The encoder ended with code ${exit.exitCode}.` : `The encoder failed: ${detail}`,
  );
}

/** What to remove from a program's messages. */
interface RedactionOptions {
  /** Folders of the daemon; paths in them are shortened to the file name. */
  readonly folders: readonly string[];
}

const noisePattern =
  /^(?:\s*|Conversion failed!|Exiting normally, received signal \d+\.?|(?:\[Eval.*\] )?\d+\.000000|\s*Last message repeated \d+ times|Error opening (?:input|output) files?.*|At least one output file must be specified)$/;

/** Matches absolute paths, which are shortened to the file name. */
const anyPath = /(?:file:)?(?:\/[^/\s'":,]+)+\/([^/\s'":,]+)/g;

/** Removes memory addresses, paths of this machine, and the `file:` prefix that venc adds. */
function redactLine(line: string, redaction: RedactionOptions): string {
  const redacted = redaction.folders.reduce(
    (text, folder) => (folder === '' ? text : text.replaceAll(`${folder}/`, '').replaceAll(folder, '.')),
    line,
  );
  return redacted
    .replace(/\[([^\s\]]+)(?: @ 0x[0-9a-f]+)\]\s*/g, '$1: ')
    .replace(anyPath, '$1')
    .replace(/\bfile:(?=\S)/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The last lines of a program's messages for a log, at most `maxLines` and without paths of this machine. */
export function lastLines(stderr: string, redaction: RedactionOptions, maxLines: number): readonly string[] {
  const lines = stderr.split(/[\r\n]+/).map((line) => redactLine(line, redaction));
  return lines.filter((line) => line !== '').slice(-maxLines);
}

/** The last meaningful line; null if there is none. */
function lastErrorLine(stderr: string, redaction: RedactionOptions): string | null {
  const lines = stderr.split(/[\r\n]+/).filter((line) => !noisePattern.test(line));
  const last = lines.at(-1);
  return last === undefined ? null : redactLine(last, redaction).slice(0, 300);
}

/**
 * The cause of an error: the format of an audio stream changes in the middle, which the filters of the run cannot
 * follow.
 */
class AudioChange extends Error {
  override readonly name = 'AudioChange';

  constructor(readonly streamIndex: number) {
    super(`The format of stream ${streamIndex} changes.`);
  }
}

/**
 * The error of a run that ended because the format of an audio stream changes in the middle; null if it has another
 * reason.
 */
export function audioChangeError(stderr: string): VencError | null {
  const stream = /\[graph_\d+_in_\d+[_:](\d+).*\] Changing (?:audio )?frame properties on the fly/.exec(
    stderr,
  );
  if (stream === null) return null;
  const cause = new AudioChange(Number(stream[1]));
  return new VencError(
    'TranscodingError',
    'The channels or the sample rate of the audio change in the middle.',
    {
      cause,
    },
  );
}

/** The index of the audio stream whose format changes, if that is why a run failed; otherwise null. */
export function changedAudioStream(error: unknown): number | null {
  return error instanceof VencError && error.cause instanceof AudioChange ? error.cause.streamIndex : null;
}

/** The cause of an error: the program decoded no frame of a track. */
class UndecodedTrack extends Error {
  override readonly name = 'UndecodedTrack';

  constructor(readonly track: string) {
    super(`No frame of the ${track} was decoded.`);
  }
}

/** The error of a run that decoded no frame of a track, such as `audio (flac, 48000 Hz, mono, s32)`. */
export function undecodedTrackError(track: string, version: string): VencError {
  return new VencError('TranscodingError', `This ffmpeg (${version}) cannot decode the ${track}.`, {
    cause: new UndecodedTrack(track),
  });
}

/** The track of which a run decoded no frame, if that is why it failed; otherwise null. */
export function undecodedTrack(error: unknown): string | null {
  return error instanceof VencError && error.cause instanceof UndecodedTrack ? error.cause.track : null;
}

/** The cause of an error: the index of an MP4 needs more than the space that was reserved for it. */
class IndexTooLarge extends Error {
  override readonly name = 'IndexTooLarge';
}

/** The error of a run whose `-moov_size` was too small for the index; null if it has another reason. */
export function indexSizeError(stderr: string): VencError | null {
  const missing = /reserved_moov_size is too small, needed (\d+) additional/.exec(stderr)?.[1];
  if (missing === undefined) return null;
  const message = `The index of the file needs ${missing} bytes more than were reserved.`;
  return new VencError('TranscodingError', message, { cause: new IndexTooLarge(message) });
}

/** Whether a run failed because the index of its MP4 needs more than the space that was reserved for it. */
export function isIndexTooLarge(error: unknown): error is VencError {
  return error instanceof VencError && error.cause instanceof IndexTooLarge;
}

/**
 * The cause of an error that the messages of a program led to, for the log. Its text may contain paths of this machine.
 */
export class ProgramMessages extends Error {
  override readonly name = 'ProgramMessages';

  constructor(readonly stderr: string) {
    super('The program reported errors.');
  }
}
