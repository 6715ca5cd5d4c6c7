import type { ErrorClass } from '../../src/shared/error-classes.js';
import type { JobFailure } from '../jobs/job.js';
import type { ExitResult } from './launch.js';

interface FailurePattern {
  readonly pattern: RegExp;
  readonly errorClass: ErrorClass;
  /** The sentence; `$1` is what the pattern caught first. */
  readonly message: string;
}

/** What ffmpeg's words mean, the most particular first. */
const failurePatterns = [
  {
    pattern: /No space left on device|Disk quota exceeded|File too large/,
    errorClass: 'OutOfSpaceError',
    message: 'There was no room left on the disk while encoding.',
  },
  {
    pattern: /Cannot allocate memory|Out of memory|malloc of size \d+ failed/i,
    errorClass: 'TranscodingError',
    message: 'The encoder ran out of memory.',
  },
  {
    pattern: /Protocol '\S+' not on whitelist/,
    errorClass: 'UnsupportedInputError',
    message: 'The input leads to other files, which are not read.',
  },
  {
    pattern: /Format not on whitelist/,
    errorClass: 'UnsupportedInputError',
    message: 'The input is of a format that is not taken.',
  },
  {
    pattern: /Picture size (\d+x\d+) exceeds specified max pixel count/,
    errorClass: 'UnsupportedInputError',
    message: 'The input has a picture of $1, which is more than 36,000,000 pixels.',
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
    message: 'The audio codec cannot do a sample rate of $1 Hz.',
  },
  {
    pattern: /(?:width|height) not divisible by 2/,
    errorClass: 'InvalidVideoSettingsError',
    message: 'The codec needs sides that are even numbers.',
  },
  {
    pattern: /Stream map '[^']*' matches no streams|does not contain any stream/,
    errorClass: 'NoMediaError',
    message: 'The input lacks the video or the sound that was asked for.',
  },
  {
    pattern: /moov atom not found/,
    errorClass: 'NoMediaError',
    message: 'The input is cut short: the index of the file is missing.',
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
    message: 'The input is damaged: there is data in it that makes no sense.',
  },
  {
    pattern: /Read-only file system|Permission denied/,
    errorClass: 'TranscodingError',
    message: 'The encoder may not write into its folder.',
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

/** Why a program ended that did not end by itself; null where it did. */
function explainSignal({ signal, exitCode }: ExitResult): string | null {
  if (signal === 'SIGKILL')
    return 'The encoder was killed from outside; perhaps the machine ran out of memory.';
  // ffmpeg catches the signals that ask it to end, and then ends with 255.
  if (signal === 'SIGTERM' || exitCode === 255) return 'The encoder was ended from outside.';
  return signal === null ? null : `The encoder crashed (${signal}).`;
}

/** Whether ffmpeg ended with 0 although it could not write everything: older ones do when the end of a file is lost. */
export function hasHiddenWriteError(stderr: string): boolean {
  return /No space left on device|Error writing trailer|Error closing file/.test(stderr);
}

/**
 * Why a run of ffmpeg failed, as one plain sentence with its class. A signal comes before what was said: complaints about
 * the input end no process. Shows no path of this machine.
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
    detail === null ? `The encoder ended with code ${exit.exitCode}.` : `The encoder gave up: ${detail}`,
  );
}

/** What may be taken out of a program's words because it means something to nobody but us. */
interface RedactionOptions {
  /** Folders of the daemon's own; paths in them are shown by their last name. */
  readonly folders: readonly string[];
}

const noisePattern =
  /^(?:\s*|Conversion failed!|Exiting normally, received signal \d+\.?|\s*Last message repeated \d+ times|Error opening (?:input|output) files?.*|At least one output file must be specified)$/;

/** A path by its last name; `/dev/...` is no secret, but nobody's business either. */
const anyPath = /(?:file:)?(?:\/[^/\s'":,]+)+\/([^/\s'":,]+)/g;

/** A line without memory addresses, without paths of this machine and without the `file:` that we put in front. */
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

/** The last line that means something; null where there is none. */
function lastErrorLine(stderr: string, redaction: RedactionOptions): string | null {
  const lines = stderr.split(/[\r\n]+/).filter((line) => !noisePattern.test(line));
  const last = lines.at(-1);
  return last === undefined ? null : redactLine(last, redaction).slice(0, 300);
}
