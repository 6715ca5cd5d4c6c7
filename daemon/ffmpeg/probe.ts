import { VencError } from '../../src/shared/errors.js';
import type { MediaFacts } from '../jobs/media.js';
import { safeInputOptions } from '../plan/safe-input.js';
import type { Binary } from './ffmpeg-types.js';
import { judgeProbe } from './judge-probe.js';
import { lookAt, type ProbeSettings, readHead } from './look-at.js';
import { lookAtFields, mayHoldFields } from './look-at-fields.js';
import { measureFrameRate } from './measure-frame-rate.js';
import { measureJoined } from './measure-joined.js';
import { measureSound } from './measure-sound.js';
import { playlistKind } from './sniff.js';

// Eight packets tell an encrypted file from a clear one; their data is not printed.
const probeArgs = [
  ...['-v', 'warning', '-hide_banner', ...safeInputOptions],
  ...['-print_format', 'json', '-show_format', '-show_streams', '-show_packets', '-read_intervals', '%+#8'],
] as const;

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
  const { answer, ending, within } = await lookAt(ffprobe, probeArgs, path, {
    settings,
    what: 'the file',
    overdue: 'TranscodingTimeoutError',
    signal,
  });
  if (ending.signal !== null) {
    const message = `ffprobe was ended by ${ending.signal} while it looked at the file.`;
    throw new VencError('UnsupportedInputError', message);
  }
  const evidence = { head, sizeBytes, answer, said: ending.said };
  const verdict = judgeProbe(evidence);
  if ('media' in verdict) {
    const media = await withFrameRate(await withFields(verdict.media));
    return await withJoinedLength(await withCountedLength(media));
  }
  throw new VencError(verdict.fault.errorClass, verdict.fault.message);

  // What else is read of a stream depends on its fields, so it is judged again.
  async function withFields(media: MediaFacts): Promise<MediaFacts> {
    const { video, durationSeconds } = media;
    if (video === null || !mayHoldFields(video)) return media;
    const { guardian } = settings;
    const fieldOrder = await lookAtFields(
      ffprobe,
      path,
      { video, durationSeconds },
      { guardian, signal: within },
    );
    endIfInterrupted();
    const again = judgeProbe({ ...evidence, fieldOrder });
    return 'media' in again ? again.media : media;
  }

  async function withFrameRate(media: MediaFacts): Promise<MediaFacts> {
    const { video } = media;
    if (video === null || !video.isFrameRateVariable) return media;
    const { guardian } = settings;
    const frameRate = await measureFrameRate(ffprobe, path, video, { guardian, signal: within });
    endIfInterrupted();
    return frameRate === null ? media : { ...media, video: { ...video, frameRate } };
  }

  // A bare stream tells no length, and ffprobe guesses one from the first bitrate: 2.7 seconds of four where sound and silence alternate.
  async function withCountedLength(media: MediaFacts): Promise<MediaFacts> {
    const { audio, video } = media;
    if (video !== null || audio === null || !/Estimating duration from bitrate/.test(ending.said))
      return media;
    const seconds = await measureSound(ffprobe, path, settings, within);
    endIfInterrupted();
    if (seconds === null) return media;
    return ofLength(media, seconds, sizeBytes);
  }

  async function withJoinedLength(media: MediaFacts): Promise<MediaFacts> {
    if (media.format !== 'mpeg-ts') return media;
    const seconds = await measureJoined(path, within);
    endIfInterrupted();
    return seconds === null ? media : ofLength(media, seconds, sizeBytes);
  }

  function endIfInterrupted(): void {
    if (signal?.aborted) throw new VencError('InterruptedError', 'Looking at the file was interrupted.');
  }
}

/** A file that was found to last for so many seconds, with all that is in it. */
function ofLength(media: MediaFacts, seconds: number, sizeBytes: number): MediaFacts {
  const { video, audio } = media;
  return {
    ...media,
    durationSeconds: seconds,
    totalBitrateKbps: Math.round((sizeBytes * 8) / 1000 / seconds),
    video: video === null ? null : { ...video, durationSeconds: seconds },
    audio: audio === null ? null : { ...audio, durationSeconds: seconds },
  };
}
