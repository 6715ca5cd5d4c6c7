import { createReadStream } from 'node:fs';
import { VencError } from '../../shared/errors.js';
import { formatsSentAtEnd, streamableFormats, whyNotStreamed } from '../../shared/streamed-outputs.js';
import type { NodeWritable, WebWritable } from '../declarations.js';
import { optionError } from './read-options.js';

/** A stream of the caller that takes an output. */
export interface OutputStream {
  /** The extension of the file that is encoded for it. */
  readonly extension: string;
  /** Whether it takes the bytes while they are encoded; otherwise `sendFile` sends them. */
  readonly isLive: boolean;
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Sends a finished file. */
  readonly sendFile: (path: string) => Promise<void>;
  /** Ends the stream, and resolves when it has taken everything. */
  readonly end: () => Promise<void>;
  /** Destroys the stream. */
  readonly fail: (error: unknown) => void;
  /** Aborts if the stream fails or is closed. */
  readonly signal: AbortSignal;
}

/** The formats that can be written to a stream of the library. */
const formats = ['ts', 'mkv', 'webm', 'mp3', 'aac', 'ogg', 'm4f'] as const;

/** Whether a destination is a stream. */
export function isStream(destination: unknown): destination is NodeWritable | WebWritable {
  if (typeof destination !== 'object' || destination === null) return false;
  const has = (name: string) => name in destination && typeof Reflect.get(destination, name) === 'function';
  return has('getWriter') || (has('write') && has('end'));
}

/**
 * Opens a stream for an output. Throws `InvalidRequestError` if the output has no format that can be streamed, or a
 * setting that needs a file. `field` is the option that names the stream.
 */
export function openOutputStream(
  stream: NodeWritable | WebWritable,
  settings: Readonly<Record<string, unknown>>,
  { field, fieldOf }: { readonly field: string; readonly fieldOf: (name: string) => string },
): OutputStream {
  const { format } = settings;
  const list = `format is one of ${formats.join(', ')}`;
  if (typeof format !== 'string')
    throw optionError(fieldOf('format'), 'is missing, and a stream has no name that shows it', list);
  const extension = format.toLowerCase();
  if (!formats.some((one) => one === extension)) {
    const hint = /^(?:mp4|m4v|mov|m4a)$/.test(extension)
      ? "use format: 'm4f', which is fragmented_mp4: the index of a plain MP4 is written at its start when all else is done"
      : list;
    throw optionError(fieldOf('format'), `cannot be ${format} for a stream`, hint);
  }
  const unusable = whyNotStreamed(settings, extension);
  if (unusable !== null)
    throw optionError(
      unusable.name === null ? field : fieldOf(unusable.name),
      `cannot be combined with a stream: it ${unusable.reason.replaceAll('--', '')}`,
      'write to a file',
    );
  const failed = new AbortController();
  const failure = (cause: unknown) => {
    const text = cause instanceof Error ? cause.message : String(cause);
    const message = `The stream of the output failed: ${text}`;
    const error = new VencError('UploadFailureError', message, { field, cause });
    failed.abort(error);
    return error;
  };
  const sink = 'getWriter' in stream ? webSink(stream, field) : nodeSink(stream, failure);
  const write = async (bytes: Uint8Array) => {
    // A copy, because the stream may keep what it was given, and the next bytes come in the same buffer.
    await sink.write(Uint8Array.from(bytes)).catch((error: unknown) => {
      throw failure(error);
    });
  };
  return {
    ...{ extension, write, signal: failed.signal, fail: sink.fail },
    isLive: streamableFormats.has(extension) && !formatsSentAtEnd.has(extension),
    async sendFile(path) {
      for await (const bytes of createReadStream(path)) await write(bytes);
    },
    end: () =>
      sink.end().catch((error: unknown) => {
        throw failure(error);
      }),
  };
}

interface Sink {
  readonly write: (bytes: Uint8Array) => Promise<void>;
  readonly end: () => Promise<void>;
  readonly fail: (error: unknown) => void;
}

function webSink(stream: WebWritable, field: string): Sink {
  if ('locked' in stream && stream.locked === true)
    throw optionError(field, 'is a stream that has a writer already', 'call releaseLock() of its writer');
  const writer = stream.getWriter();
  return {
    write: (bytes) => writer.write(bytes),
    end: () => writer.close(),
    fail: (error) => void writer.abort(error).catch(() => undefined),
  };
}

function nodeSink(stream: NodeWritable, onFailed: (cause: unknown) => void): Sink {
  let hasEnded = false;
  let stop: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    stop = reject;
  });
  failed.catch(() => undefined);
  const onError = (cause: Error) => {
    stop(cause);
    onFailed(cause);
  };
  stream.once('error', onError);
  stream.once('close', () => {
    if (!hasEnded) onError(new Error('it was closed before its end.'));
  });
  if ('errored' in stream && stream.errored instanceof Error) onError(stream.errored);
  return {
    write: (bytes) =>
      Promise.race([
        new Promise<void>((resolve, reject) => {
          stream.write(bytes, (error) => (error == null ? resolve() : reject(error)));
        }),
        failed,
      ]),
    end: () => {
      hasEnded = true;
      return Promise.race([new Promise<void>((resolve) => void stream.end(() => resolve())), failed]);
    },
    fail(error) {
      hasEnded = true;
      if ('destroy' in stream && typeof stream.destroy === 'function')
        stream.destroy(error instanceof Error ? error : new Error(String(error)));
    },
  };
}
