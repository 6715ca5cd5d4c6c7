import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { freezeOnSuspend } from '../../src/shared/util/freezer.js';
import {
  type Ffmpeg,
  missingFfmpegMessage,
  type OpenOptions,
  openFfmpeg,
  withCommandLog,
} from '../ffmpeg/index.js';
import type { MediaFacts, VideoFacts } from '../jobs/media.js';
import { createLog } from './create-log.js';

/** The programs of a command that works on local files without a daemon. */
export interface LocalPrograms extends Pick<OpenOptions, 'ffmpeg' | 'ffprobe' | 'sandbox'> {
  /** Receives the command lines of ffmpeg, without secrets. */
  readonly onDetail?: ((message: string) => void) | undefined;
  /** See `AppOptions`. */
  readonly isEmbedded?: boolean;
}

/** A local video file. */
export interface VideoFile {
  readonly path: string;
  readonly media: MediaFacts;
  readonly video: VideoFacts;
}

/** Opens the ffmpeg of a command. Rejects with `UnavailableError` if there is none. */
export async function openLocalFfmpeg({ onDetail, ...programs }: LocalPrograms): Promise<Ffmpeg> {
  const { ffmpeg } = await openFfmpeg(programs);
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
  const log = createLog(() => new Date(), [({ message }) => onDetail?.(message.replace(/^venc: /, ''))]);
  return withCommandLog(ffmpeg, log, 'venc');
}

/**
 * Opens the check whether media files have all their packets, as `venc run --skip-existing` needs it. Rejects as
 * `openLocalFfmpeg` does; the check itself does not.
 */
export async function openMediaCheck(
  programs: LocalPrograms,
  signal: AbortSignal,
): Promise<(path: string) => Promise<boolean>> {
  const ffmpeg = await openLocalFfmpeg(programs);
  return (path) => ffmpeg.isWhole(path, signal).catch(() => false);
}

/** Probes a video file. Rejects with `NoMediaError` if it has no video. Errors name the file. */
export async function probeVideo(ffmpeg: Ffmpeg, path: string, signal: AbortSignal): Promise<VideoFile> {
  const media = await ffmpeg.probe(resolve(path), signal).catch((error: unknown) => {
    if (!(error instanceof VencError)) throw error;
    throw new VencError(error.errorClass, `${path}: ${error.message}`, { cause: error });
  });
  const { video } = media;
  if (video === null) throw new VencError('NoMediaError', `${path} has no video.`);
  return { path: resolve(path), media, video };
}

/**
 * Passes a new temporary folder to `use` and removes it afterwards. Ctrl-Z stops the programs of `use` as well, unless
 * they run in another program.
 */
export async function withScratch<T>(
  { isEmbedded = false }: Pick<LocalPrograms, 'isEmbedded'>,
  use: (scratch: string) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(join(tmpdir(), 'venc-'));
  try {
    return await (isEmbedded ? use(scratch) : withFreezing(() => use(scratch)));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Ctrl-Z stops the programs of `use` as well. */
export async function withFreezing<T>(use: () => Promise<T>): Promise<T> {
  const endFreezing = freezeOnSuspend();
  try {
    return await use();
  } finally {
    endFreezing();
  }
}
