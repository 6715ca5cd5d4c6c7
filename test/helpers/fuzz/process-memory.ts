import { readFileSync } from 'node:fs';

/** The highest memory use of a daemon and of the programs that it starts, in bytes of resident memory. */
export interface PeakMemory {
  readonly daemonBytes: number;
  readonly childBytes: number;
  /** The name of that child. */
  readonly child: string;
}

/** Watches the memory of processes until `stop`. */
export interface MemoryWatch {
  readonly peak: () => PeakMemory;
  readonly stop: () => void;
}

/** Programs that run for a shorter time may not be seen. Each sample has the peak of the process so far, not its present use. */
const sampleMs = 25;
const bytesPerKilobyte = 1024;

/** Watches the memory of a daemon and of all processes below it, from `/proc`. */
export function watchMemory(daemonPid: number): MemoryWatch {
  let peak: PeakMemory = { daemonBytes: 0, childBytes: 0, child: 'none' };
  const sample = () => {
    peak = { ...peak, daemonBytes: Math.max(peak.daemonBytes, statusOf(daemonPid)?.peakBytes ?? 0) };
    for (const { name, peakBytes } of descendantsOf(daemonPid))
      if (peakBytes > peak.childBytes) peak = { ...peak, childBytes: peakBytes, child: name };
  };
  const timer = setInterval(sample, sampleMs);
  timer.unref();
  return {
    peak: () => {
      sample();
      return peak;
    },
    stop: () => clearInterval(timer),
  };
}

/** A process as `/proc/PID/status` describes it. */
interface ProcessStatus {
  readonly name: string;
  readonly peakBytes: number;
}

/** All processes below a process, at any depth. Node starts them from its main thread, and each of them has one of its own. */
export function descendantsOf(pid: number): readonly ProcessStatus[] {
  return childrenOf(pid).flatMap((child) => [statusOf(child) ?? [], descendantsOf(child)].flat());
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // It has ended.
    return [];
  }
}

function statusOf(pid: number): ProcessStatus | null {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s*(.+)$`, 'm').exec(text)?.[1] ?? '';
    return {
      name: field('Name'),
      peakBytes: Number.parseInt(field('VmHWM') || '0', 10) * bytesPerKilobyte,
    };
  } catch {
    // It ended since its folder was listed.
    return null;
  }
}

/** Bytes as a number of MB. */
export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
