/** @jsxImportSource hono/jsx */
import { formatBytes } from '../../../src/shared/text/numbers.js';
import { productVersion } from '../../../src/shared/version.js';
import { readQueue } from '../../actions/queue.js';
import { listWorkers } from '../../actions/workers.js';
import { defaultAccountId } from '../../jobs/job.js';
import { type MachineState, MachineView } from '../views/machine.js';
import type { DocumentRequest, PageDocument } from './document.js';

/** `/ui/machine`: the daemon, its health, and its workers. */
export async function machineDocument(request: DocumentRequest): Promise<PageDocument> {
  const state = await readMachine(request);
  return {
    ...{ title: 'Machine', current: 'machine' },
    live: { name: 'machine', data: state },
    content: (
      <div id="machine">
        <MachineView {...state} changeQueue={null} changeWorker={null} />
      </div>
    ),
  };
}

/** What the view of the machine shows to an account. Only the owner sees the workers. */
export async function readMachine({ appContext, holder }: DocumentRequest): Promise<MachineState> {
  const { account } = holder;
  const checks = await appContext.readHealth();
  const { maxEncodes, diskFreeBytes, diskMinFreeBytes } = appContext.readMetricSources();
  const now = appContext.now();
  const hostedBytes = await appContext.store.hostedBytes(account.id, now);
  const disk =
    diskFreeBytes === null
      ? []
      : [`${formatBytes(diskFreeBytes)} free; jobs are accepted above ${formatBytes(diskMinFreeBytes)}`];
  return {
    queue: readQueue(appContext, account),
    checks: checks.map(({ name, ok, reason }) => ({ name, ok, reason })),
    workers: account.id === defaultAccountId ? listWorkers(appContext, account).workers : null,
    facts: [
      ['version', `venc ${productVersion}`],
      ['ffmpeg', ffmpegText(appContext)],
      ['slots', maxEncodes === 0 ? 'none: only workers encode' : String(maxEncodes)],
      ['jobs that run', String(appContext.queue.running().length)],
      ...disk.map((text) => ['disk', text] as const),
      ['hosted files of this account', formatBytes(hostedBytes)],
    ],
    now: now.getTime(),
  };
}

/** The encoder of this machine. */
function ffmpegText({ ffmpeg }: DocumentRequest['appContext']): string {
  if (ffmpeg === null) return 'none: only workers encode';
  const { version, path } = ffmpeg.ffmpeg;
  return `${version} (${path})`;
}
