import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { diskReason } from '../../src/shared/util/disk-error-text.js';

/** Greatest room that is kept free where nothing else is asked for, in bytes. */
const defaultMinFreeBytes = 1e9;
/** Share of the volume that is kept free where that is less. */
const defaultMinFreeShare = 0.05;
/** How long a look at the disk is good for, in milliseconds: creates come faster than disks fill. */
const freshMs = 1000;

/** What the daemon's health depends on. */
export interface HealthSources {
  readonly dataFolder: string;
  /** Free room below which nothing more is taken. */
  readonly minFreeBytes: number;
  readonly hasFfmpeg: boolean;
  readonly isDraining: () => boolean;
  readonly now: () => Date;
}

/** Says why no job can be taken, one sentence each; an empty list when all is well. */
export function healthOf(sources: HealthSources): () => Promise<readonly string[]> {
  let seen: { readonly at: number; readonly trouble: Promise<string | null> } | null = null;
  // Requests that ask at the same time share one look: two would remove each other's file.
  const diskTrouble = (): Promise<string | null> => {
    const at = sources.now().getTime();
    if (seen === null || at - seen.at > freshMs) seen = { at, trouble: lookAtDisk(sources) };
    return seen.trouble;
  };
  return async () => {
    const disk = await diskTrouble();
    return [
      ...(sources.isDraining() ? ['The daemon is stopping and takes no more jobs.'] : []),
      ...(sources.hasFfmpeg ? [] : [missingFfmpeg]),
      ...(disk === null ? [] : [disk]),
    ];
  };
}

/** What a person without ffmpeg is told. */
export const missingFfmpeg =
  'There is no ffmpeg and ffprobe to encode with: install ffmpeg 5.0 or newer, or name one with --ffmpeg (venc doctor tells more).';

/** Free bytes on a folder's volume below which nothing more is taken: what was asked for, or the default. */
export async function leastFreeBytes(folder: string, asked: number | null): Promise<number> {
  if (asked !== null) return asked;
  const { blocks, bsize } = await statfs(folder);
  return Math.min(blocks * bsize * defaultMinFreeShare, defaultMinFreeBytes);
}

/** Name of the file that is written to find out whether one can be; like that of a write that was broken off, which starts clean up. */
const probeName = '.tmp-health';

async function lookAtDisk({ dataFolder, minFreeBytes: least }: HealthSources): Promise<string | null> {
  try {
    await tryToWrite(join(dataFolder, probeName));
    return await shortage(dataFolder, least);
  } catch (error) {
    const reason = diskReason(error, 'write', 'the daemon has');
    return `The data folder cannot be written: ${reason}.`;
  }
}

/** A real write: a disk that can only be read, is broken or has a quota does not show in its numbers. */
async function tryToWrite(path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile('venc');
  } finally {
    await file.close();
  }
  // A slow disk may still be looked at when the next look begins.
  await rm(path, { force: true });
}

async function shortage(dataFolder: string, least: number): Promise<string | null> {
  const { bavail, bsize } = await statfs(dataFolder);
  const freeBytes = bavail * bsize;
  if (freeBytes >= least) return null;
  const megabytes = (bytes: number) => Math.floor(bytes / 1e6);
  return `There are ${megabytes(freeBytes)} MB free in the data folder, less than the ${megabytes(least)} MB that --min-free asks for.`;
}
