import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ErrorClass } from '../../../src/shared/error-classes.js';
import { VencError } from '../../../src/shared/errors.js';
import { systemCode } from '../../../src/shared/util/system-code.js';
import { fileArgument } from '../../plan/safe-input.js';
import type { Binary } from '../ffmpeg-types.js';
import { type ExitResult, launch } from '../launch.js';
import { headBytes } from './formats.js';

/** How files are looked at, the same for all of them. */
export interface ProbeSettings {
  readonly parentDeathWrapper: readonly string[];
  /** Seconds that a look may take. */
  readonly seconds: number;
}

/** Beginning and size of a file. Rejects with `FileNotFoundError`, or `UnsupportedInputError` where it cannot be read. */
export async function readHead(path: string): Promise<{ readonly head: Buffer; readonly sizeBytes: number }> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return { head: buffer.subarray(0, bytesRead), sizeBytes: size };
    } finally {
      await file.close();
    }
  } catch (error) {
    const code = systemCode(error) ?? 'unknown reason';
    if (code === 'ENOENT')
      throw new VencError('FileNotFoundError', 'There is no such file.', { cause: error });
    throw new VencError('UnsupportedInputError', `The file cannot be read (${code}).`, { cause: error });
  }
}

/** What goes with one look at a file. */
interface FfprobeOptions {
  readonly settings: ProbeSettings;
  /** The file, in messages. */
  readonly subject: string;
  /** The class of a look that takes too long. */
  readonly timeoutErrorClass: ErrorClass;
  readonly signal: AbortSignal | undefined;
}

/** What ffprobe told of a file. */
interface FfprobeResult {
  readonly output: string;
  readonly exit: ExitResult;
  /** Ends what is left of the time for the look, for who has more to ask. */
  readonly deadlineSignal: AbortSignal;
}

const maxOutputCharacters = 16 * 1024 * 1024;

/** What ffprobe answers of a file to a question beside the first look; empty where it fails. The signal ends it. */
export async function readFfprobeOutput(
  ffprobe: Binary,
  args: readonly string[],
  path: string,
  {
    parentDeathWrapper,
    signal,
  }: Pick<ProbeSettings, 'parentDeathWrapper'> & { readonly signal: AbortSignal },
): Promise<string> {
  let output = '';
  await launch(ffprobe.path, [...args, fileArgument(resolve(path))], {
    parentDeathWrapper,
    signal,
    onStdout: (text) => {
      if (output.length < maxOutputCharacters) output += text;
    },
  });
  return output;
}

/**
 * Lets ffprobe look at a file, and tells how that ended, well or not. Rejects with `InterruptedError`, with the class for a look that takes
 * too long, and with `InternalError` where there is no ffprobe to be started: that says nothing of the file.
 */
export async function runFfprobe(
  ffprobe: Binary,
  args: readonly string[],
  path: string,
  { settings, subject, timeoutErrorClass, signal }: FfprobeOptions,
): Promise<FfprobeResult> {
  const timeoutSignal = AbortSignal.timeout(settings.seconds * 1000);
  const deadlineSignal = signal === undefined ? timeoutSignal : AbortSignal.any([signal, timeoutSignal]);
  let output = '';
  const exit = await launch(ffprobe.path, [...args, fileArgument(resolve(path))], {
    parentDeathWrapper: settings.parentDeathWrapper,
    signal: deadlineSignal,
    onStdout: (text) => {
      if (output.length < maxOutputCharacters) output += text;
    },
  });
  if (signal?.aborted) throw new VencError('InterruptedError', `Looking at ${subject} was interrupted.`);
  if (timeoutSignal.aborted)
    throw new VencError(timeoutErrorClass, `Looking at ${subject} took over ${settings.seconds} seconds.`);
  if (exit.startFailure !== null) {
    throw new VencError('InternalError', `ffprobe could not be started (${exit.startFailure}).`);
  }
  return { output, exit, deadlineSignal };
}
