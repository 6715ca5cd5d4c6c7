import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { VencError } from '../../src/shared/errors.js';
import type { Ffmpeg } from '../ffmpeg/index.js';

/** Receives the next bytes of an output. The next call waits until its promise resolves. */
export type OnBytes = (bytes: Uint8Array) => Promise<void>;

/** How often new bytes are looked for. */
const intervalMs = 50;
const bufferBytes = 1 << 18;

/**
 * An ffmpeg whose output is read while it is written. It writes the file from its start to its end, as into a pipe, so
 * that the bytes that were read are those of the file that is verified later. Rejects with `TranscodingError` if the
 * output is encoded again after bytes have been read.
 */
export function withStream(ffmpeg: Ffmpeg, onBytes: OnBytes): Ffmpeg {
  let isBegun = false;
  const send: OnBytes = (bytes) => {
    isBegun = true;
    return onBytes(bytes);
  };
  const wrap = (inner: Ffmpeg): Ffmpeg => ({
    ...inner,
    newer: async () => {
      const newer = await inner.newer();
      return newer && { ...newer, ffmpeg: newer.ffmpeg && wrap(newer.ffmpeg) };
    },
    run: async (args, options) => {
      const path = outputPathIn(args);
      if (path === null) return inner.run(args, options);
      if (isBegun)
        throw new VencError(
          'TranscodingError',
          'The output must be encoded a second time, and its beginning has been written to the pipe already. Write to a file instead.',
        );
      let hasEnded = false;
      const failed = new AbortController();
      const following = follow(path, send, {
        hasEnded: () => hasEnded,
        signal: AbortSignal.any([options.signal, failed.signal]),
      });
      // Awaited below; a failure in between must not count as unhandled.
      following.catch(() => undefined);
      try {
        await inner.run(asPipe(args, inner), options);
        hasEnded = true;
      } catch (error) {
        failed.abort();
        throw error;
      } finally {
        await following;
      }
    },
  });
  return wrap(ffmpeg);
}

/** The path of the output that a run writes; null for other runs, such as measurements. */
function outputPathIn(args: readonly string[]): string | null {
  return /^file:(.*\/output-\d+\.[^/]+)$/s.exec(args.at(-1) ?? '')?.[1] ?? null;
}

/** The arguments of a run whose output is not changed after it was written. Builds of 2018 know no `-seekable`. */
function asPipe(args: readonly string[], { capabilities }: Ffmpeg): readonly string[] {
  const muxer = args.at(-2) ?? '';
  const options = capabilities.hasFpsMode
    ? ['-seekable', '0']
    : /^(?:matroska|webm)$/.test(muxer)
      ? ['-live', '1']
      : muxer === 'mp3'
        ? ['-write_xing', '0']
        : [];
  return [...args.slice(0, -1), ...options, ...args.slice(-1)];
}

/** Reads a file that another process writes, until that has ended and all of it was read. */
async function follow(
  path: string,
  onBytes: OnBytes,
  { hasEnded, signal }: { readonly hasEnded: () => boolean; readonly signal: AbortSignal },
): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  let handle: FileHandle | null = null;
  try {
    const buffer = Buffer.alloc(bufferBytes);
    while (!signal.aborted) {
      const wasEnded = hasEnded();
      handle ??= await open(path, 'r').catch(() => null);
      const { bytesRead } = (await handle?.read(buffer, 0, bufferBytes)) ?? { bytesRead: 0 };
      if (bytesRead > 0) await Promise.race([onBytes(buffer.subarray(0, bytesRead)), aborted]);
      else if (wasEnded) return;
      else await Promise.race([pause(intervalMs), aborted]);
    }
  } finally {
    await handle?.close();
  }
}
