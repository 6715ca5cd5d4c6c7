import type { Client } from '../../client/client.js';
import { type ListedWorkers, requestWorkers } from '../../client/workers.js';
import { productVersion } from '../../shared/version.js';
import { humanDuration } from '../output/units.js';
import { isSilent } from '../output/workers-table.js';
import { type Finding, okFinding } from './check-machine.js';

const subject = 'workers';

/** The connected workers of a running daemon, and what needs attention about them. Empty if it has none. Never rejects. */
export async function readWorkerFindings(client: Client, signal: AbortSignal): Promise<readonly Finding[]> {
  // Daemons of earlier versions have no workers.
  const listed = await requestWorkers(client, signal).catch(() => null);
  return listed === null ? [] : findingsOfWorkers(listed);
}

/** The findings about workers, with this time of the daemon. */
export function findingsOfWorkers({
  workers,
  at,
}: Pick<ListedWorkers, 'workers' | 'at'>): readonly Finding[] {
  if (workers.length === 0) return [];
  const now = at ?? new Date();
  const reporting = workers.filter((worker) => !isSilent(worker, now));
  const slots = reporting.reduce((sum, { jobs }) => sum + jobs, 0);
  const draining = reporting.filter((worker) => worker.draining).length;
  const summary = [
    `${reporting.length === 1 ? '1 worker is' : `${reporting.length} workers are`} connected`,
    slots === 1 ? '1 job at a time' : `${slots} jobs at a time`,
    ...(draining === 0 ? [] : [`${draining} draining`]),
  ].join(', ');
  const silent = workers
    .filter((worker) => isSilent(worker, now))
    .map(({ name, last_seen_at: seenAt }) => {
      const seconds = (now.getTime() - Date.parse(seenAt)) / 1000;
      return `${name} (${humanDuration(seconds)})`;
    });
  const others = workers
    .filter(({ version }) => version !== productVersion)
    .map(({ name, version }) => `${name} (${version})`);
  return [
    okFinding(subject, summary),
    ...note(silent, 'have not reported for a while', 'check their machines and their network'),
    ...note(
      others,
      `have another version than this command (${productVersion})`,
      'upgrade venc there; a worker that is one version apart still works',
    ),
  ];
}

/** Maximum number of workers that a finding names. */
const maxNames = 5;

function note(names: readonly string[], what: string, advice: string): readonly Finding[] {
  if (names.length === 0) return [];
  const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
  const message = `${what}: ${names.slice(0, maxNames).join(', ')}${more}`;
  return [{ level: 'note', subject, message, advice }];
}
