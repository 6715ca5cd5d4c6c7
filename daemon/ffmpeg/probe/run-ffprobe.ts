import { resolve } from 'node:path';
import type { ErrorClass } from '../../../src/shared/error-classes.js';
import { VencError } from '../../../src/shared/errors.js';
import { limitSignal } from '../../../src/shared/util/freezer.js';
import type { Analysis } from '../../jobs/media.js';
import { fileArgument, inputOptions } from '../../plan/safe-input.js';
import { probeLimits } from '../containment/program-limits.js';
import type { Binary } from '../ffmpeg-types.js';
import { type ExitResult, type LaunchSettings, launch } from '../launch.js';
import { headBytes } from './formats.js';
import { withFile } from './scan-file.js';

/** Settings of all probes. */
export interface ProbeSettings extends LaunchSettings {
  /** The limit of memory of one probe. */
  readonly memoryBytes: number;
  /** Maximum seconds of one probe. */
  readonly seconds: number;
}

/**
 * The arguments that print entries such as `packet=pts_time`, a line for each: of all streams, or of those that
 * `streams` selects.
 */
export function entryArgs(
  entries: string,
  streams?: string | number,
  analysis?: Analysis,
): readonly string[] {
  return [
    ...['-v', 'error', '-hide_banner', ...inputOptions(analysis)],
    ...(streams === undefined ? [] : ['-select_streams', String(streams)]),
    ...['-show_entries', entries, '-of', 'csv=p=0'],
  ];
}

/** Runs ffprobe on a file, which is the only one that it can read in a sandbox. */
export function launchFfprobe(
  ffprobe: Binary,
  args: readonly string[],
  path: string,
  options: {
    readonly settings: ProbeSettings;
    readonly signal: AbortSignal;
    readonly onStdout: (text: string) => void;
  },
): Promise<ExitResult> {
  const { settings, signal, onStdout } = options;
  const file = resolve(path);
  return launch(ffprobe.path, [...args, fileArgument(file)], {
    ...{ containment: settings.containment, meter: settings.meter, program: 'ffprobe', signal, onStdout },
    limits: probeLimits(settings.memoryBytes),
    access: { folder: null, inputs: [file] },
  });
}

/** Reads the first bytes and the size of a file. Rejects as `withFile` does. */
export function readHead(path: string): Promise<{ readonly head: Buffer; readonly sizeBytes: number }> {
  return withFile(path, async (file) => {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return { head: buffer.subarray(0, bytesRead), sizeBytes: size };
  });
}

/** Options of one probe. */
interface FfprobeOptions {
  readonly settings: ProbeSettings;
  /** The file, in messages. */
  readonly subject: string;
  /** The error class if the probe takes too long. */
  readonly timeoutErrorClass: ErrorClass;
  readonly signal: AbortSignal | undefined;
}

/** The result of an ffprobe run. */
interface FfprobeResult {
  readonly output: string;
  readonly exit: ExitResult;
  /** Aborted at the deadline of the probe, for further ffprobe runs on the same file. */
  readonly deadlineSignal: AbortSignal;
}

const maxOutputCharacters = 16 * 1024 * 1024;

/** The output of a further ffprobe run on a file; empty if it fails. The signal ends it. */
export async function readFfprobeOutput(
  ffprobe: Binary,
  args: readonly string[],
  path: string,
  options: { readonly settings: ProbeSettings; readonly signal: AbortSignal },
): Promise<string> {
  let output = '';
  await launchFfprobe(ffprobe, args, path, {
    ...options,
    onStdout: (text) => {
      if (output.length < maxOutputCharacters) output += text;
    },
  });
  return output;
}

/**
 * Runs ffprobe on a file and resolves to its result, successful or not. Rejects with `InterruptedError`, with
 * `timeoutErrorClass` if it takes too long, and with `InternalError` if ffprobe cannot be started, which is not an
 * error of the file.
 */
export async function runFfprobe(
  ffprobe: Binary,
  args: readonly string[],
  path: string,
  { settings, subject, timeoutErrorClass, signal }: FfprobeOptions,
): Promise<FfprobeResult> {
  const limit = limitSignal(settings.seconds * 1000);
  const deadlineSignal = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  let output = '';
  const exit = await launchFfprobe(ffprobe, args, path, {
    settings,
    signal: deadlineSignal,
    onStdout: (text) => {
      if (output.length < maxOutputCharacters) output += text;
    },
  });
  if (signal?.aborted) throw new VencError('InterruptedError', `Probing ${subject} was interrupted.`);
  if (limit.aborted)
    throw new VencError(
      timeoutErrorClass,
      `Probing ${subject} took longer than ${settings.seconds} seconds.`,
    );
  if (exit.startFailure !== null) {
    throw new VencError('InternalError', `ffprobe could not be started (${exit.startFailure}).`);
  }
  return { output, exit, deadlineSignal };
}
