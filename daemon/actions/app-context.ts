import type { Log } from '../../src/shared/util/log.js';
import type { Ffmpeg } from '../ffmpeg/ffmpeg-types.js';
import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { JobQueue } from '../queue/job-queue.js';
import type { ProgressTracker } from '../queue/progress-tracker.js';
import type { AccountStore } from '../store/account-store.js';
import type { JobStore } from '../store/job-store.js';
import type { TransportRegistry } from '../transports/registry.js';
import type { JobEvents } from './job-events.js';

/** Everything that the actions work with. Chosen and put together in `daemon/app/start-daemon.ts` alone. */
export interface AppContext {
  readonly store: JobStore;
  readonly queue: JobQueue;
  readonly progressTracker: ProgressTracker;
  /** Where jobs can be listened to. */
  readonly events: JobEvents;
  readonly accounts: AccountStore;
  readonly transports: TransportRegistry;
  /** Hosted outputs and uploads, on the disk of the daemon. */
  readonly hosted: HostedFileStore;
  readonly uploads: HostedFileStore;
  /** null where no ffmpeg was found: jobs are then refused. */
  readonly ffmpeg: Ffmpeg | null;
  readonly maxOutputs: number;
  /** Why no job can be taken at the moment: one sentence each, none when all is well. */
  readonly checkHealth: () => Promise<readonly string[]>;
  readonly now: () => Date;
  /** An unguessable token of letters and digits, for names and addresses. */
  readonly randomToken: () => string;
  /** Writes one line to the daemon's log. Secrets are masked by it. */
  readonly log: Log;
}
