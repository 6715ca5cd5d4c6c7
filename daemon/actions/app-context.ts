import { VencError } from '../../src/shared/errors.js';
import type { Log } from '../../src/shared/util/log.js';
import type { Ffmpeg } from '../ffmpeg/ffmpeg-types.js';
import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { UnfinishedUploads } from '../hosted-files/unfinished-uploads.js';
import { defaultAccountId } from '../jobs/job.js';
import type { SavedCredentials } from '../jobs/saved-credentials.js';
import type { Metrics } from '../metrics/metrics.js';
import type { ScratchFolders } from '../pipeline/scratch-folders.js';
import type { JobQueue } from '../queue/job-queue.js';
import type { OpenHours } from '../queue/open-hours.js';
import type { QueuePauses } from '../queue/pauses.js';
import type { ProgressTracker } from '../queue/progress-tracker.js';
import type { RemoteClaims } from '../queue/remote/remote-claims.js';
import type { Workers } from '../queue/remote/workers.js';
import type { SlotSchedule } from '../queue/slot-schedule.js';
import type { Account, AccountStore } from '../store/account-store.js';
import type { SetupStore } from '../store/accounts/setup-store.js';
import type { JobStore } from '../store/job-store.js';
import type { LogStore } from '../store/log-store.js';
import type { TransportRegistry } from '../transports/registry.js';
import type { AccountEvents } from './account-events.js';
import type { InPlaceFiles } from './in-place-files.js';
import type { JobEvents } from './job-events.js';
import type { LogEvents } from './log-events.js';
import type { PageSessions } from './page-sessions.js';
import type { Turns } from './turns.js';
import type { WorkerFiles } from './worker-files.js';

/**
 * The dependencies of the daemon's actions. Only `createAppContext` (`daemon/app`) chooses the
 * implementations. An action takes the slice that it needs: `Pick<AppContext, ...>`.
 *
 * The pipeline has a context of its own (`PipelineContext`): it may not import this module, and its limits,
 * scratch space and running deliveries are no concern of the actions.
 */
export interface AppContext {
  readonly store: JobStore;
  readonly queue: JobQueue;
  /** The pauses of the queue. */
  readonly pauses: QueuePauses;
  /** When this machine takes jobs. */
  readonly schedule: SlotSchedule;
  /** Until when the hours of the daemons do not count. */
  readonly openHours: OpenHours;
  /** The remote workers that have joined. */
  readonly workers: Workers;
  /** The jobs that remote workers run. */
  readonly remoteClaims: RemoteClaims;
  /** The files that go between remote workers and this machine. */
  readonly workerFiles: WorkerFiles;
  readonly progressTracker: ProgressTracker;
  /** Event streams of job progress. */
  readonly events: JobEvents;
  /** Which key searches the jobs. */
  readonly searchTurns: Turns;
  /** Event streams of the jobs of accounts. */
  readonly accountEvents: AccountEvents;
  /** The logs of jobs and that of the daemon. */
  readonly logs: LogStore;
  /** Event streams of logs. */
  readonly logEvents: LogEvents;
  readonly accounts: AccountStore;
  /** The accounts and their keys as commands read and change them; `accounts` follows. */
  readonly setup: SetupStore;
  /** Who is signed in at the page; null if there is none. */
  readonly pageSessions: PageSessions | null;
  readonly transports: TransportRegistry;
  readonly savedCredentials: SavedCredentials;
  /** Hosted outputs, on the disk of the daemon or in the bucket of `--hosted`. */
  readonly hosted: HostedFileStore;
  /** Uploaded inputs, in the same place. */
  readonly uploads: HostedFileStore;
  /** Uploads that arrive in parts, on the disk of the daemon until they are complete. */
  readonly unfinishedUploads: UnfinishedUploads;
  /** Files of this machine that clients offer to be read where they are. */
  readonly inPlaceFiles: InPlaceFiles;
  /** Folders for temporary files. */
  readonly scratch: Pick<ScratchFolders, 'openFor' | 'close'>;
  /** null if no ffmpeg was found: jobs are then rejected. */
  readonly ffmpeg: Ffmpeg | null;
  readonly maxOutputs: number;
  /** The longest time that hosted files are kept, in seconds. */
  readonly maxKeepSeconds: number;
  /** Whether notifications are sent to e-mail addresses. */
  readonly sendsMail: boolean;
  /** The reasons why no job can be accepted now, one sentence each; empty if healthy. */
  readonly checkHealth: () => Promise<readonly string[]>;
  /** The results of all checks of the daemon, those that do not keep it from accepting jobs included. */
  readonly readHealth: () => Promise<readonly HealthCheckResult[]>;
  /** null if nothing reads them, as in a one-shot run. */
  readonly metrics: Metrics | null;
  /** Values that only metrics need, as they are now. */
  readonly readMetricSources: () => MetricSources;
  /** Remembers the trace that a create belongs to, before its job runs; absent if no traces are written. */
  readonly continueTrace?: (jobId: number, traceparent: string) => void;
  readonly now: () => Date;
  /** Returns an unguessable token of letters and digits, for names and addresses. */
  readonly randomToken: () => string;
  /** Writes one line to the daemon's log and masks secrets in it. */
  readonly log: Log;
}

/** The result of one check of `/health`. */
export interface HealthCheckResult {
  readonly name:
    | 'daemon'
    | 'ffmpeg'
    | 'disk'
    | 'database'
    | 'disk_space'
    | 'hosted_files'
    | 'sandbox'
    | 'queue'
    | 'workers'
    | 'notifications';
  readonly ok: boolean;
  /** Whether no job is accepted unless the check is passed. */
  readonly isRequired: boolean;
  /** One sentence with the reason for a failure, or a warning; null if there is neither. */
  readonly reason: string | null;
}

/** See `AppContext.readMetricSources`. */
interface MetricSources {
  readonly waitingNotifications: number;
  readonly maxEncodes: number;
  /** Free bytes of the volume at the latest check; null if that failed. */
  readonly diskFreeBytes: number | null;
  readonly diskMinFreeBytes: number;
}

/** Seconds after which a client may retry while no jobs are accepted. */
const retryAfterSeconds = 30;

/** Rejects with `UnavailableError` (503) and the reasons while no job can be accepted. */
export async function requireHealthy(appContext: Pick<AppContext, 'checkHealth'>): Promise<void> {
  const healthProblems = await appContext.checkHealth();
  if (healthProblems.length === 0) return;
  throw new VencError('UnavailableError', healthProblems.join(' '), {
    messages: healthProblems,
    retryAfterSeconds,
  });
}

/**
 * Throws `ForbiddenError` with the sentence, which says what only the owner may do, unless the account is that of the
 * owner of the daemon.
 */
export function requireOwner({ id }: Pick<Account, 'id'>, sentence: string): void {
  if (id !== defaultAccountId) throw new VencError('ForbiddenError', sentence);
}
