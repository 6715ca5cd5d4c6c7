import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { execaSync } from 'execa';
import { childEnvironment } from '../../src/shared/util/environment.js';
import { parseStartTicks } from '../../src/shared/util/lock/lock-holder.js';

const recordNamePattern = /^\.ffmpeg-(\d+)$/;
const exitTimeoutMs = 2000;

/**
 * Records in a folder that a process runs there; the returned function deletes the record. Writes synchronously, so
 * that the daemon cannot crash between the start of the process and the record.
 */
export function recordProcess(folder: string, pid: number): () => void {
  const path = join(folder, `.ffmpeg-${pid}`);
  try {
    writeFileSync(path, processFingerprint(pid) ?? '', { mode: 0o600 });
  } catch {
    // If the disk is full for the record, ffmpeg will fail with that error in a moment.
  }
  return () => rmSync(path, { force: true });
}

async function killProcess(pid: number, fingerprint: string): Promise<boolean> {
  if (fingerprint === '' || processFingerprint(pid) !== fingerprint) return false;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return false;
  }
  const deadline = Date.now() + exitTimeoutMs;
  while (processFingerprint(pid) === fingerprint && Date.now() < deadline) await wait(10);
  return true;
}

/**
 * Kills every recorded encoder below a folder that still runs, and waits until it is gone. The daemon does that at its
 * start, before it clears the scratch folder. Another process that has the same id now is not killed, because the
 * record has the start time of the encoder. Resolves to the number of killed encoders; 0 if the folder does not exist.
 */
export async function killOrphanProcesses(scratchRoot: string): Promise<number> {
  const entries = await readdir(scratchRoot, { recursive: true, withFileTypes: true }).catch(() => []);
  const results = await Promise.all(
    entries.map(async (entry) => {
      const pid = Number(recordNamePattern.exec(entry.name)?.[1]);
      if (!entry.isFile() || !Number.isSafeInteger(pid) || pid <= 1) return false;
      const path = join(entry.parentPath, entry.name);
      const isKilled = await killProcess(pid, await readFile(path, 'utf8').catch(() => ''));
      await rm(path, { force: true });
      return isKilled;
    }),
  );
  // A trace of an earlier daemon that was killed: it may have left a process that has lost the one in its record.
  const strays = entries.length === 0 ? [] : await findProcessesIn(scratchRoot);
  const strayResults = await Promise.all(
    strays.map(async (pid) => killProcess(pid, processFingerprint(pid) ?? '')),
  );
  return [...results, ...strayResults].filter(Boolean).length;
}

const programPattern = /(?:^|\/)(?:bwrap|ffmpeg|ffprobe)$/;

/**
 * The processes on Linux that run bubblewrap, ffmpeg or ffprobe with a file in a folder. bubblewrap is killed with its
 * parent, and its program with it, but not in the moment between their start and their request to the kernel for that.
 */
async function findProcessesIn(folder: string): Promise<readonly number[]> {
  const names = await readdir('/proc').catch(() => []);
  const pids = names.map(Number).filter((pid) => Number.isSafeInteger(pid) && pid > 1 && pid !== process.pid);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0');
      const usesFolder = args.some((arg) => arg.replace(/^file:/, '').startsWith(`${folder}/`));
      return usesFolder && args.some((arg) => programPattern.test(arg)) ? [pid] : [];
    }),
  );
  return found.flat();
}

function linuxFingerprint(pid: number): string | null {
  const ticks = parseStartTicks(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  if (ticks === null) return null;
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return `${boot} ${ticks}`;
}

function psFingerprint(pid: number): string | null {
  const { stdout, failed } = execaSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    env: childEnvironment(),
    extendEnv: false,
    reject: false,
  });
  return failed || stdout.trim() === '' ? null : stdout.trim();
}

/**
 * Identifies a running process by its start time, which distinguishes it from other processes with the same id. Null if
 * no such process runs. Read from `/proc` on Linux, from `ps` elsewhere.
 */
export function processFingerprint(pid: number): string | null {
  try {
    return process.platform === 'linux' ? linuxFingerprint(pid) : psFingerprint(pid);
  } catch {
    return null;
  }
}
