import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../../src/shared/text/format-bytes.js';
import { diskReason } from '../../src/shared/util/system-code.js';

/** Default minimum of free space in bytes; the share below applies if it is smaller. */
const defaultMinFreeBytes = 1e9;
/** Share of the volume that is kept free by default. */
const defaultMinFreeShare = 0.05;
/** How long the result of a disk check is reused, in milliseconds: creates come faster than disks fill. */
const diskCheckTtlMs = 1000;

/** The dependencies of the health check. */
interface HealthCheckOptions {
  readonly dataFolder: string;
  /** Free bytes below which no job is accepted. */
  readonly minFreeBytes: number;
  readonly hasFfmpeg: boolean;
  readonly isDraining: () => boolean;
  readonly now: () => Date;
}

/**
 * Makes the function that lists the reasons why no job can be accepted, one sentence each; empty if healthy.
 */
export function createHealthCheck(options: HealthCheckOptions): () => Promise<readonly string[]> {
  let cached: { readonly at: number; readonly problem: Promise<string | null> } | null = null;
  // Concurrent requests share one check: two would remove each other's file.
  const checkDiskCached = (): Promise<string | null> => {
    const at = options.now().getTime();
    if (cached === null || at - cached.at > diskCheckTtlMs) cached = { at, problem: checkDisk(options) };
    return cached.problem;
  };
  return async () => {
    const disk = await checkDiskCached();
    return [
      ...(options.isDraining() ? ['The daemon is stopping and accepts no more jobs.'] : []),
      ...(options.hasFfmpeg ? [] : [missingFfmpegMessage]),
      ...(disk === null ? [] : [disk]),
    ];
  };
}

/** The message if no ffmpeg was found. */
export const missingFfmpegMessage =
  'No ffmpeg and ffprobe were found: install ffmpeg 5.0 or newer, or give the path with --ffmpeg (venc doctor shows details).';

/** The minimum of free bytes on a folder's volume: the requested number, or the default. */
export async function resolveMinFreeBytes(folder: string, requestedBytes: number | null): Promise<number> {
  if (requestedBytes !== null) return requestedBytes;
  const { blocks, bsize } = await statfs(folder);
  return Math.min(blocks * bsize * defaultMinFreeShare, defaultMinFreeBytes);
}

/**
 * Name of the file that the check writes. It looks like that of an interrupted write, which the start cleans
 * up.
 */
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

/** Writes a file, because a read-only, broken or quota-limited disk does not show in its numbers. */
async function writeProbeFile(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile('venc');
  } finally {
    await file.close();
  }
  // On a slow disk, the next check may already have begun.
  await rm(path, { force: true });
}

async function describeShortage(dataFolder: string, minBytes: number): Promise<string | null> {
  const { bavail, bsize } = await statfs(dataFolder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= minBytes) return null;
  return `The data folder has ${formatBytes(freeBytes)} of free space, less than the ${formatBytes(minBytes)} that --min-free requires.`;
}
