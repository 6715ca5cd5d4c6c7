import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { VencError } from '../../src/api/errors.js';
import type { MediaFacts } from '../jobs/media.js';
import { fileArgument, safeInputOptions } from '../plan/safe-input.js';
import type { Binary } from './ffmpeg-types.js';
import { judgeProbe } from './judge-probe.js';
import { launch } from './launch.js';
import { measureSound } from './measure-sound.js';
import { headBytes, playlistKind } from './sniff.js';

/** How files are looked at, the same for all of them. */
export interface ProbeSettings {
  readonly guardian: readonly string[];
  /** Seconds that a look may take. */
  readonly seconds: number;
}

// Eight packets tell an encrypted file from a clear one; their data is not printed.
const probeArgs = [
  ...['-v', 'warning', '-hide_banner', ...safeInputOptions],
  ...['-print_format', 'json', '-show_format', '-show_streams', '-show_packets', '-read_intervals', '%+#8'],
] as const;

const greatestAnswer = 16 * 1024 * 1024;

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
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    if (code === 'ENOENT')
      throw new VencError('FileNotFoundError', 'There is no such file.', { cause: error });
    throw new VencError('UnsupportedInputError', `The file cannot be read (${code}).`, { cause: error });
  }
}

/** Looks at a file as promised by `Ffmpeg.probe`; `TranscodingTimeoutError` where that takes too long. */
export async function probeFile(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal?: AbortSignal,
): Promise<MediaFacts> {
  const { head, sizeBytes } = await readHead(path);
  if (sizeBytes === 0) throw new VencError('NoMediaError', 'The file is empty.');
  const playlist = playlistKind(head);
  if (playlist !== null) {
    const message = `The file is a playlist (${playlist}); what it leads to is not fetched.`;
    throw new VencError('UnsupportedInputError', message);
  }
  const limit = AbortSignal.timeout(settings.seconds * 1000);
  const either = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  let answer = '';
  const ending = await launch(ffprobe.path, [...probeArgs, fileArgument(resolve(path))], {
    guardian: settings.guardian,
    signal: either,
    onStdout: (text) => {
      if (answer.length < greatestAnswer) answer += text;
    },
  });
  if (signal?.aborted) throw interrupted();
  if (limit.aborted) {
    throw new VencError(
      'TranscodingTimeoutError',
      `Looking at the file took over ${settings.seconds} seconds.`,
    );
  }
  if (ending.startFailure !== null) {
    throw new VencError('InternalError', `ffprobe could not be started (${ending.startFailure}).`);
  }
  if (ending.signal !== null) {
    const message = `ffprobe was ended by ${ending.signal} while it looked at the file.`;
    throw new VencError('UnsupportedInputError', message);
  }
  const verdict = judgeProbe({ head, sizeBytes, answer, said: ending.said });
  if ('media' in verdict) return await withCountedLength(verdict.media);
  throw new VencError(verdict.fault.errorClass, verdict.fault.message);

  // A bare stream tells no length, and ffprobe guesses one from the first bitrate: 2.7 seconds of four where sound and silence alternate.
  async function withCountedLength(media: MediaFacts): Promise<MediaFacts> {
    const { audio, video } = media;
    if (video !== null || audio === null || !/Estimating duration from bitrate/.test(ending.said))
      return media;
    const seconds = await measureSound(ffprobe, path, settings, either);
    if (signal?.aborted) throw interrupted();
    if (seconds === null) return media;
    const totalBitrateKbps = Math.round((sizeBytes * 8) / 1000 / seconds);
    return {
      ...media,
      durationSeconds: seconds,
      totalBitrateKbps,
      audio: { ...audio, durationSeconds: seconds },
    };
  }
}

const interrupted = () => new VencError('InterruptedError', 'Looking at the file was interrupted.');
