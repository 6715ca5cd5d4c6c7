import type { WorkerRecord } from '../../shared/records.js';
import { humanAge, unknownMark } from '../../shared/text/units.js';
import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';

/** A worker without a job reports every 20 seconds, and one that does not report for this long loses its jobs. */
const silentAfterSeconds = 30;

/** Whether a worker has not reported for so long that it loses its jobs. `now` is the time of the daemon. */
export function isSilent({ last_seen_at: at }: WorkerRecord, now: Date): boolean {
  return now.getTime() - Date.parse(at) > silentAfterSeconds * 1000;
}

/** Remote workers as a table, one line each. `now` is the time of the daemon. */
export function workersTable(
  workers: readonly WorkerRecord[],
  { width, hasColour, now }: TableStyle & { readonly now: Date },
): string {
  const paint = createTextColours(hasColour);
  const columns: readonly Column<WorkerRecord>[] = [
    { title: 'NAME', priority: 9, minWidth: 12, text: ({ name }) => name },
    {
      title: 'STATE',
      priority: 8,
      text: (worker) => stateText(worker, now),
      paint: (worker, text) =>
        isSilent(worker, now)
          ? paint.red(text)
          : worker.draining || worker.paused
            ? paint.yellow(text)
            : text,
    },
    { title: 'JOBS', priority: 7, text: jobsText },
    {
      title: 'LAST SEEN',
      priority: 6,
      text: ({ last_seen_at: at }) => (at === '' ? unknownMark : `${humanAge(at, now)} ago`),
    },
    {
      title: 'SPEED',
      priority: 3,
      isRightAligned: true,
      text: ({ speed }) => (speed === null ? unknownMark : `${speed.toFixed(1)}x`),
    },
    { title: 'LABELS', priority: 5, minWidth: 12, text: ({ labels }) => labels.join(', ') },
    { title: 'VERSION', priority: 4, text: ({ version }) => version },
    { title: 'FFMPEG', priority: 2, minWidth: 8, text: ({ ffmpeg }) => ffmpeg },
  ];
  return table(columns, workers, width, paint);
}

/** The slots with a job and all slots, and how many jobs are fetched ahead: `1/1 +2`. */
function jobsText({ job_ids: { length }, jobs: slots }: WorkerRecord): string {
  return `${Math.min(length, slots)}/${slots}${length > slots ? ` +${length - slots}` : ''}`;
}

function stateText(worker: WorkerRecord, now: Date): string {
  const { draining, paused, closed_by: closedBy, job_ids: jobIds } = worker;
  if (isSilent(worker, now)) return 'silent';
  if (draining) return jobIds.length === 0 ? 'drained' : 'draining';
  if (paused) return 'paused';
  if (closedBy !== null && jobIds.length === 0)
    return closedBy === 'hours' ? 'outside hours' : 'machine busy';
  return jobIds.length === 0 ? 'idle' : 'working';
}
