import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { VencError } from '../../shared/errors.js';
import { mediaExtensions } from '../../shared/settings/general.js';
import { formatsSentAtEnd, streamableFormats, whyNotStreamed } from '../../shared/streamed-outputs.js';
import { isObject } from '../../shared/util/is-object.js';
import type { CreateArgs } from '../input/job-args.js';
import { hasLadder, ladderTerm } from '../input/ladder-flags.js';
import type { Io } from '../terminal/io.js';
import type { ResolvedRequest } from './assign-destinations.js';

/** The output of `-o -`. */
export interface StdoutOutput {
  /** The file that is encoded; its bytes go to stdout. */
  readonly path: string;
  /** Whether the bytes are written while the file is encoded. Otherwise {@link sendFile} writes them. */
  readonly isStreamed: boolean;
  /** Writes to stdout. Resolves when more can be written; rejects if the pipe was closed. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Aborts if stdout fails. */
  readonly signal: AbortSignal;
  /** Why stdout failed; null if it did not. */
  readonly error: VencError | null;
  /** How many bytes were written. */
  readonly sentBytes: number;
}

/** The options that `-o -` contradicts, their flags, and why. */
const unusableOptions = [
  ['json', '--json', 'stdout has only the output'],
  ['jsonl', '--jsonl', 'stdout has only the output'],
  ['skipExisting', '--skip-existing', 'stdout has no earlier output'],
] as const;

interface PipedArgs extends CreateArgs {
  readonly json?: boolean;
  readonly jsonl?: boolean;
  readonly skipExisting?: boolean;
}

const usageError = (message: string, hint?: string) =>
  new VencError('UsageError', message, hint === undefined ? {} : { hint });

/** The error for `-o -` with several inputs, such as the files of a folder. */
export const severalOutputsError = () =>
  usageError('Only one output of one input can go to stdout.', 'write the outputs to files');

/**
 * The options of a run with `-o -` replaced by a file in the temporary folder, and the output that this file is for.
 * Null without `-o -`. Throws `UsageError` if the output cannot go to stdout.
 */
export function toStdout<T extends PipedArgs>(
  options: T,
  { io, folder, inputs }: { readonly io: Io; readonly folder: string; readonly inputs: readonly string[] },
): { readonly options: T; readonly stdout: StdoutOutput | null } {
  const { out = [], format } = options;
  const isLadderToStdout = options.hls === '-' || options.dash === '-';
  if (!out.includes('-') && !isLadderToStdout) return { options, stdout: null };
  if (hasLadder(options))
    throw usageError(
      `${ladderTerm(options)} writes many files, which stdout cannot hold.`,
      'name a folder: -o out/',
    );
  if (out.length > 1 || (options.output ?? []).length > 1 || inputs.length > 1) throw severalOutputsError();
  for (const [name, flag, reason] of unusableOptions)
    if (options[name] === true) throw usageError(`${flag} and -o - cannot be combined: ${reason}.`);
  if (typeof format !== 'string')
    throw usageError(
      '-o - needs --format, because stdout has no name that shows it.',
      'for example --format ts or --format mkv',
    );
  const name = format.toLowerCase();
  if (!streamableFormats.has(name) && !formatsSentAtEnd.has(name) && mediaExtensions.has(name))
    throw usageError(
      `${format} cannot be written to a pipe: its index is written at its start when all else is done.`,
      'use --format m4f (MP4 in fragments), --format mkv or --format ts, or write to a file',
    );
  if (io.isTerminal.stdout)
    throw usageError(
      'Stdout is a terminal, which cannot show a video.',
      'pipe it, or write to a file: -o film.ts',
    );
  const path = join(folder, `stdout.${name}`);
  return { options: { ...options, out: [path] }, stdout: openStdout(io, path, streamableFormats.has(name)) };
}

function openStdout({ stdout }: Io, path: string, isStreamed: boolean): StdoutOutput {
  const controller = new AbortController();
  let error: VencError | null = null;
  let sentBytes = 0;
  // The handler of other commands ends the process at once, without ending ffmpeg and removing its files.
  stdout.removeAllListeners('error');
  stdout.on('error', (cause) => {
    const isClosed = 'code' in cause && cause.code === 'EPIPE';
    const message = isClosed
      ? 'The reader of stdout closed the pipe before the end: the encoding was cancelled and nothing was left behind.'
      : `The output could not be written to stdout: ${cause.message}.`;
    error ??= new VencError('UploadFailureError', message, { cause, hint: 'what was read is incomplete' });
    controller.abort(error);
  });
  return {
    ...{ path, isStreamed, signal: controller.signal },
    write: (bytes) =>
      new Promise((resolve, reject) => {
        stdout.write(bytes, (cause) => {
          if (cause != null) return reject(cause);
          sentBytes += bytes.length;
          resolve();
        });
      }),
    get error() {
      return error;
    },
    get sentBytes() {
      return sentBytes;
    },
  };
}

/** Writes the finished file to stdout, unless that was done while it was encoded. */
export async function sendFile(stdout: StdoutOutput): Promise<void> {
  if (stdout.sentBytes > 0) return;
  try {
    for await (const bytes of createReadStream(stdout.path)) await stdout.write(bytes);
  } catch (error) {
    throw stdout.error ?? error;
  }
}

/** Throws `UsageError` if a request has settings that an output on stdout cannot have. */
export function rejectSideOutputs({ body, paths }: ResolvedRequest, { path }: StdoutOutput): void {
  const outputs: readonly unknown[] = Array.isArray(body.outputs) ? body.outputs : [];
  const settings = outputs[0];
  if (paths.length !== 1 || paths[0] !== path || !isObject(settings))
    throw usageError('Only one output of one file can go to stdout.', 'write the outputs to files');
  const unusable = whyNotStreamed(settings, path.slice(path.lastIndexOf('.') + 1));
  if (unusable === null) return;
  if (unusable.name === null)
    throw usageError(
      'Captions in files next to the output cannot be combined with -o -.',
      'use --format mkv, or write to a file',
    );
  throw usageError(
    `outputs[0].${unusable.name} cannot be combined with -o -: it ${unusable.reason}.`,
    'write to a file',
  );
}
