import { readFileSync } from 'node:fs';
import { execaSync } from 'execa';
import { childEnvironment } from '../../src/shared/util/child-environment.js';
import { parseStartTicks } from '../../src/shared/util/lock/lock-holder.js';

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
 * What tells a running process from every other that ever has its id: when it started. Null where no such process runs.
 * From `/proc` on Linux, from `ps` elsewhere.
 */
export function processFingerprint(pid: number): string | null {
  try {
    return process.platform === 'linux' ? linuxFingerprint(pid) : psFingerprint(pid);
  } catch {
    return null;
  }
}
