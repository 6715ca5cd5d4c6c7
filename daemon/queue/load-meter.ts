import { readdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { procStatFields } from '../../src/shared/util/proc-stat.js';

/** Processor time in cores that other programs have used on average since the last call; null if not known yet. */
export type LoadMeter = () => number | null;

/** Processor time since some moment, in the same unit for all. */
export interface ProcessorTimes {
  /** Of all processors together, also while they were idle. */
  readonly total: number;
  readonly busy: number;
  /** Of this process and all that it has started. */
  readonly own: number;
}

/**
 * Creates a meter. Without `/proc`, it returns the load average of the last minute, which includes the own encodes.
 */
export function createLoadMeter(
  read: () => ProcessorTimes | null = readProcessorTimes,
  processors = cpus().length,
): LoadMeter {
  let before: ProcessorTimes | null = null;
  return () => {
    const now = read();
    if (now === null) return loadavg()[0] ?? null;
    const since = before;
    before = now;
    const total = now.total - (since?.total ?? now.total);
    if (since === null || total <= 0) return null;
    // A process that ends unseen takes its time along.
    const own = Math.max(0, now.own - since.own);
    return Math.max(0, ((now.busy - since.busy - own) / total) * processors);
  };
}

function readProcessorTimes(): ProcessorTimes | null {
  try {
    const [first = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    // user nice system idle iowait irq softirq steal; guests are part of user.
    const times = first.trim().split(/\s+/).slice(1, 9).map(Number);
    const total = times.reduce((sum, time) => sum + time, 0);
    return { total, busy: total - (times[3] ?? 0) - (times[4] ?? 0), own: ownTime() };
  } catch {
    return null;
  }
}

/** The processor time of this process and all that it has started, also of those that have ended. */
function ownTime(): number {
  const processes = new Map<number, { readonly parent: number; readonly time: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = procStatFields(readFileSync(`/proc/${name}/stat`, 'utf8'));
      // utime stime cutime cstime
      const time = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parent: Number(fields[1]), time });
    } catch {
      // It has ended.
    }
  }
  const isOwn = (pid: number): boolean => {
    if (pid === process.pid) return true;
    const found = processes.get(pid);
    return found !== undefined && found.parent !== 0 && isOwn(found.parent);
  };
  return [...processes].reduce((sum, [pid, { time }]) => (isOwn(pid) ? sum + time : sum), 0);
}
