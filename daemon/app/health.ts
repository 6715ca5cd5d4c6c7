import { open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../../src/shared/text/numbers.js';
import { diskReason } from '../../src/shared/util/system-code.js';
import type { HealthCheckResult } from '../actions/app-context.js';
import { missingFfmpegMessage } from '../ffmpeg/index.js';
import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { Records } from './records/records.js';

/** Default minimum of free space in bytes; the share below applies if it is smaller. */
const defaultMinFreeBytes = 1e9;
/** Share of the volume that is kept free by default. */
const defaultMinFreeShare = 0.05;
/** How long the result of a disk check is reused, in milliseconds: creates come faster than disks fill. */
const diskCheckTtlMs = 1000;

/**
 * How long `/health` waits for the database and for the bucket, in milliseconds: probes commonly give up after a few
 * seconds.
 */
export const maxHealthWaitMs = 1500;

/** Below this multiple of the minimum, free space is reported before jobs are rejected. */
const lowSpaceFactor = 2;

/** The dependencies of the health check. */
interface HealthCheckOptions {
  readonly dataFolder: string;
  /** Free bytes below which no job is accepted. */
  readonly minFreeBytes: number;
  /** Why files cannot be hosted or uploaded now, as a sentence without names; null if they can. Resolves in time. */
  readonly hostedProblem?: HostedFileStore['problem'];
  /** Whether the daemon or a connected worker has an ffmpeg. */
  readonly hasFfmpeg: () => boolean;
  readonly isDraining: () => boolean;
  /**
   * Resolves to why the database cannot be used, or to null if it can: in time, if there is a limit. Null or absent
   * without a database.
   */
  readonly databaseProblem?: Records['databaseProblem'];
}

/** The checks that decide whether jobs are accepted, and the disk. */
interface HealthCheck {
  /**
   * The reasons why no job can be accepted, one sentence each; empty if healthy. Hosted files are not checked: not
   * every job needs them.
   */
  reasons(): Promise<readonly string[]>;
  /**
   * The result of each check. A database or bucket that has not answered after {@link maxHealthWaitMs} counts as one
   * that does not answer.
   */
  results(): Promise<readonly HealthCheckResult[]>;
  /** The free bytes at the latest check; null if it failed or there was none. */
  freeBytes(): number | null;
}

/** Creates the health check of a daemon. */
export function createHealthCheck(options: HealthCheckOptions): HealthCheck {
  let cached: { readonly at: number; readonly state: Promise<DiskState> } | null = null;
  let latestFreeBytes: number | null = null;
  // Concurrent requests share one check: two would remove each other's file.
  const checkDiskCached = (): Promise<DiskState> => {
    // Not the time of day: a clock that is set back would keep the result until it has caught up.
    const at = performance.now();
    if (cached === null || at - cached.at > diskCheckTtlMs) cached = { at, state: checkDisk(options) };
    return cached.state;
  };
  const requiredResults = async (maxWaitMs?: number): Promise<readonly HealthCheckResult[]> => {
    const { databaseProblem = null } = options;
    const [disk, database] = await Promise.all([checkDiskCached(), databaseProblem?.(maxWaitMs)]);
    const databaseResults = databaseProblem === null ? [] : [checkResult('database', database ?? null, true)];
    latestFreeBytes = disk.freeBytes;
    const stopping = options.isDraining() ? 'The daemon is stopping and accepts no more jobs.' : null;
    return [
      checkResult('daemon', stopping, true),
      checkResult('ffmpeg', options.hasFfmpeg() ? null : missingFfmpegMessage, true),
      checkResult('disk', disk.problem, true),
      ...databaseResults,
    ];
  };
  const otherResults = async (): Promise<readonly HealthCheckResult[]> => {
    const [disk, hosted] = await Promise.all([checkDiskCached(), options.hostedProblem?.(maxHealthWaitMs)]);
    return [
      checkResult('disk_space', describeLowSpace(disk, options.minFreeBytes), false),
      // Jobs without such files are accepted.
      checkResult('hosted_files', hosted ?? null, false),
    ];
  };
  return {
    results: async () => (await Promise.all([requiredResults(maxHealthWaitMs), otherResults()])).flat(),
    // A create waits for a database that is busy: its answer needs the database in any case.
    reasons: async () => (await requiredResults()).flatMap(({ reason }) => reason ?? []),
    freeBytes: () => latestFreeBytes,
  };
}

/** The result of a check that is passed if there is no reason against it. */
export function checkResult(
  name: HealthCheckResult['name'],
  reason: string | null,
  isRequired: boolean,
): HealthCheckResult {
  return { name, ok: reason === null, isRequired, reason };
}

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

/** The state of the disk: why it cannot be used, and its free bytes; null if it can, or if they are unknown. */
interface DiskState {
  readonly problem: string | null;
  readonly freeBytes: number | null;
}

async function checkDisk({ dataFolder, minFreeBytes }: HealthCheckOptions): Promise<DiskState> {
  try {
    await writeProbeFile(join(dataFolder, probeFileName));
    const { bavail, bsize } = await statfs(dataFolder);
    const freeBytes = bavail * bsize;
    return { freeBytes, problem: describeShortage(freeBytes, minFreeBytes) };
  } catch (error) {
    const reason = diskReason(error, 'write', 'the daemon has');
    return { freeBytes: null, problem: `The data folder cannot be written: ${reason}.` };
  }
}

/** Writes a file, because a read-only, broken or quota-limited disk does not show in its numbers. */
async function writeProbeFile(path: string): Promise<void> {
  // Nothing else may be in its place: the open of a named pipe would wait for a reader for ever.
  await rm(path, { force: true });
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile('venc');
  } finally {
    await file.close();
  }
  // On a slow disk, the next check may already have begun.
  await rm(path, { force: true });
}

function describeShortage(freeBytes: number, minBytes: number): string | null {
  if (freeBytes >= minBytes) return null;
  return `The data folder has ${formatBytes(freeBytes)} of free space, less than the ${formatBytes(minBytes)} that --min-free requires.`;
}

function describeLowSpace({ freeBytes }: DiskState, minBytes: number): string | null {
  if (freeBytes === null || freeBytes >= minBytes * lowSpaceFactor) return null;
  return `The data folder has ${formatBytes(freeBytes)} of free space: below ${formatBytes(minBytes)} (--min-free), no jobs are accepted.`;
}
