import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { diskReason } from '../../src/shared/util/disk-error-text.js';

/** Greatest room that is kept free where nothing else is asked for, in bytes. */
const defaultMinFreeBytes = 1e9;
/** Share of the volume that is kept free where that is less. */
const defaultMinFreeShare = 0.05;
/** How long a look at the disk is good for, in milliseconds: creates come faster than disks fill. */
const diskCheckTtlMs = 1000;

/** What the daemon's health depends on. */
export interface HealthCheckOptions {
  readonly dataFolder: string;
  /** Free room below which nothing more is taken. */
  readonly minFreeBytes: number;
  readonly hasFfmpeg: boolean;
  readonly isDraining: () => boolean;
  readonly now: () => Date;
}

/** Says why no job can be taken, one sentence each; an empty list when all is well. */
export function createHealthCheck(options: HealthCheckOptions): () => Promise<readonly string[]> {
  let cached: { readonly at: number; readonly problem: Promise<string | null> } | null = null;
  // Requests that ask at the same time share one look: two would remove each other's file.
  const checkDiskCached = (): Promise<string | null> => {
    const at = options.now().getTime();
    if (cached === null || at - cached.at > diskCheckTtlMs) cached = { at, problem: checkDisk(options) };
    return cached.problem;
  };
  return async () => {
    const disk = await checkDiskCached();
    return [
      ...(options.isDraining() ? ['The daemon is stopping and takes no more jobs.'] : []),
      ...(options.hasFfmpeg ? [] : [missingFfmpegMessage]),
      ...(disk === null ? [] : [disk]),
    ];
  };
}

/** What a person without ffmpeg is told. */
export const missingFfmpegMessage =
  'There is no ffmpeg and ffprobe to encode with: install ffmpeg 5.0 or newer, or name one with --ffmpeg (venc doctor tells more).';

/** Free bytes on a folder's volume below which nothing more is taken: what was asked for, or the default. */
export async function resolveMinFreeBytes(folder: string, requestedBytes: number | null): Promise<number> {
  if (requestedBytes !== null) return requestedBytes;
  const { blocks, bsize } = await statfs(folder);
  return Math.min(blocks * bsize * defaultMinFreeShare, defaultMinFreeBytes);
}

/** Name of the file that is written to find out whether one can be; like that of a write that was broken off, which starts clean up. */
const probeFileName = '.tmp-health';

async function checkDisk({ dataFolder, minFreeBytes: minBytes }: HealthCheckOptions): Promise<string | null> {
  try {
    await writeProbeFile(join(dataFolder, probeFileName));
    return await describeShortage(dataFolder, minBytes);
  } catch (error) {
    const reason = diskReason(error, 'write', 'the daemon has');
    return `The data folder cannot be written: ${reason}.`;
  }
}

/** A real write: a disk that can only be read, is broken or has a quota does not show in its numbers. */
async function writeProbeFile(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile('venc');
  } finally {
    await file.close();
  }
  // A slow disk may still be looked at when the next look begins.
  await rm(path, { force: true });
}

async function describeShortage(dataFolder: string, minBytes: number): Promise<string | null> {
  const { bavail, bsize } = await statfs(dataFolder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= minBytes) return null;
  const megabytes = (bytes: number) => Math.floor(bytes / 1e6);
  return `There are ${megabytes(freeBytes)} MB free in the data folder, less than the ${megabytes(minBytes)} MB that --min-free asks for.`;
}
