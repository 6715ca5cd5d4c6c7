import { crashLimit } from '../../daemon/jobs/end-of-claim.js';
import { suiteOptions } from './suite-options.js';
import type { WorkerProcess } from './worker-process.js';

/** What a process has logged, by the name of the process. Each line begins with its time. */
export interface ProcessLog {
  readonly name: string;
  readonly text: string;
}

/** The logs of workers, including those that have ended. */
export function logsOf(
  workers: Iterable<Pick<WorkerProcess, 'written'> & { readonly name: string }>,
): readonly ProcessLog[] {
  return [...workers].map(({ name, written }) => ({ name, text: written() }));
}

/** The workers that had each job, in order, from the logs of all daemons. */
export function holdersOf(
  daemons: readonly string[],
  ids: Iterable<number>,
): ReadonlyMap<number, readonly string[]> {
  const lines = daemons.flatMap((log) => log.split('\n')).sort();
  return new Map(
    [...ids].map((id) => {
      const pattern = new RegExp(`Job ${id} is given to the worker (\\S+)\\.`);
      return [id, lines.flatMap((line) => pattern.exec(line)?.[1] ?? [])];
    }),
  );
}

/**
 * Whether a job of these runs for the last time: if its worker is killed as well, it fails (`crashLimit`). A suite whose jobs must all
 * finish kills no worker then.
 */
export function hasLastRun(holders: ReadonlyMap<number, readonly string[]>): boolean {
  return [...holders.values()].some(({ length }) => length >= crashLimit);
}

/** Prints who had what in the long form of a suite: a line for each list of workers, with the jobs that they had in this order. */
export function printHolders(suite: string, holders: ReadonlyMap<number, readonly string[]>): void {
  if (!suiteOptions().isLong) return;
  const groups = new Map<string, number[]>();
  for (const [id, names] of holders) {
    const list = names.join(', ');
    groups.set(list, [...(groups.get(list) ?? []), id]);
  }
  console.log(`${suite}, who had what:`);
  const byHolderCount = [...groups].sort(([one], [other]) => one.split(',').length - other.split(',').length);
  for (const [names, ids] of byHolderCount) console.log(`  ${names}: ${ids.length} jobs (${ids.join(' ')})`);
}

/** Prints the history of a job in the long form of a suite. */
export function printJobHistory(suite: string, id: number, logs: readonly ProcessLog[]): void {
  if (suiteOptions().isLong) console.log(`${suite}, job ${id}:\n${jobHistory(id, logs)}`);
}

/** What several processes logged about a job and about their connections, in the order of time, with the seconds since the first line. */
export function jobHistory(id: number, logs: readonly ProcessLog[]): string {
  const about = new RegExp(`\\b[Jj]ob ${id}\\b|cannot be reached|answers again`);
  const lines = logs.flatMap(({ name, text }) =>
    text.split('\n').flatMap((line) => {
      const [, time = '', said = ''] = /^(\S+Z) +\w+ +(.*)$/.exec(line) ?? [];
      return about.test(said) ? [{ time, name, said }] : [];
    }),
  );
  const ordered = lines.sort((one, other) => one.time.localeCompare(other.time));
  const began = Date.parse(ordered[0]?.time ?? '');
  return ordered
    .map(({ time, name, said }) => {
      const seconds = ((Date.parse(time) - began) / 1000).toFixed(1);
      return `  ${seconds.padStart(6)} s  ${name}: ${said}`;
    })
    .join('\n');
}
