import { readFileSync } from 'node:fs';
import { procStatFields } from '../../../src/shared/util/proc-stat.js';
import type { ProgramUsage } from '../../jobs/run-observer.js';

/** Receives what each run of ffmpeg and ffprobe used, at its end. */
export type ProgramEndHook = (usage: ProgramUsage) => void;

/** The measurement of one run. */
interface RunMeter {
  /**
   * Reads the memory of the process. Called whenever it prints something: there is no event for its end at which it
   * still has memory.
   */
  sample(): void;
  /** Ends the measurement, in the event of the end of the process. */
  end(): MeasuredRun;
}

/** What a run used, for the explanation of its failure. */
export interface MeasuredRun extends ProgramUsage {
  /** Peak of what counts towards the limit of memory; null if unknown. */
  readonly dataBytes: number | null;
}

/** Clock ticks per second in `/proc`, which is 100 on every architecture that Node supports. */
const ticksPerSecond = 100;

/**
 * Measures the runs of programs from `/proc`; on other systems only the duration is known. The processor
 * time of a program is what the kernel adds to that of the ended children of this process, so it is complete and
 * includes the children of the program.
 */
export class UsageMeter {
  #endedCpuSeconds = readEndedCpuSeconds();

  constructor(private readonly onProgramEnd: ProgramEndHook | undefined) {}

  /** Begins to measure a program that was just started. */
  start(program: ProgramUsage['program'], pid: number): RunMeter {
    const startedAt = performance.now();
    let peak: Memory = { peakBytes: null, dataBytes: null };
    return {
      sample() {
        const now = readMemory(innermostProcess(pid));
        peak = {
          peakBytes: larger(peak.peakBytes, now.peakBytes),
          dataBytes: larger(peak.dataBytes, now.dataBytes),
        };
      },
      end: () => {
        const measured = {
          program,
          seconds: (performance.now() - startedAt) / 1000,
          peakMemoryBytes: peak.peakBytes,
          cpuSeconds: this.#takeCpuSeconds(),
        };
        this.onProgramEnd?.(measured);
        return { ...measured, dataBytes: peak.dataBytes };
      },
    };
  }

  #takeCpuSeconds(): number | null {
    const before = this.#endedCpuSeconds;
    this.#endedCpuSeconds = readEndedCpuSeconds();
    if (before === null || this.#endedCpuSeconds === null) return null;
    return this.#endedCpuSeconds - before;
  }
}

interface Memory {
  readonly peakBytes: number | null;
  readonly dataBytes: number | null;
}

function larger(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.max(one, other);
}

/** A process, or the descendant that it started, if each started one: the program itself behind bubblewrap. */
function innermostProcess(pid: number): number {
  let current = pid;
  // bubblewrap starts one process; the limit is for a program that starts itself again and again.
  for (let depth = 0; depth < 4; depth += 1) {
    const [child, ...others] = readText(`/proc/${current}/task/${current}/children`).trim().split(' ');
    if (child === undefined || child === '' || others.length > 0) break;
    current = Number(child);
  }
  return current;
}

function readMemory(pid: number): Memory {
  const status = readText(`/proc/${pid}/status`);
  const kibibytes = (field: RegExp): number | null => {
    const text = field.exec(status)?.[1];
    return text === undefined ? null : Number(text) * 1024;
  };
  return { peakBytes: kibibytes(/^VmHWM:\s+(\d+) kB$/m), dataBytes: kibibytes(/^VmData:\s+(\d+) kB$/m) };
}

/** Processor time of the children of this process that have ended (proc(5): cutime, cstime); null if unknown. */
function readEndedCpuSeconds(): number | null {
  const fields = procStatFields(readText('/proc/self/stat'));
  const [userTicks, systemTicks] = fields.slice(13, 15).map(Number);
  return userTicks === undefined || systemTicks === undefined
    ? null
    : (userTicks + systemTicks) / ticksPerSecond;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
