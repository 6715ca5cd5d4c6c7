import type { Log } from '../../src/shared/util/log.js';
import type { Ffmpeg } from '../ffmpeg/ffmpeg-types.js';
import type { Job, JobOutput } from '../jobs/job.js';
import type { Run } from '../jobs/run.js';
import type { SavedCredentials } from '../jobs/saved-credentials.js';
import type { TransportRegistry } from '../transports/registry.js';
import type { ConcurrencyLimits } from './concurrency-limits.js';
import type { ScratchSpace } from './disk-reservations.js';
import type { ScratchFolders } from './scratch-folders.js';

/** What a run needs in addition to its job. */
export interface PipelineContext {
  readonly ffmpeg: Ffmpeg;
  readonly transports: TransportRegistry;
  readonly savedCredentials: SavedCredentials;
  readonly scratch: ScratchFolders;
  readonly space: ScratchSpace;
  readonly limits: ConcurrencyLimits;
  /** The running delivery that delivered to each URL. Another job may deliver to the same URL. */
  readonly deliveries: Map<string, object>;
  readonly log: Log;
  /** The job of a run as its last change left it. Absent before the input is inspected. */
  readonly latestJob?: () => Job;
  /**
   * Rejects with `UploadFailureError` if a file on the machine of the daemon is in the way of an output. By default,
   * this is that machine.
   */
  readonly checkPlaces?: (output: JobOutput) => Promise<void>;
}

/** The job of a run as its last change left it. */
export function latestJob(run: Pick<Run, 'job'>, context: Pick<PipelineContext, 'latestJob'>): Job {
  return context.latestJob?.() ?? run.job;
}

/** The parts of the context that a run may have for itself. */
export type ContextOfRun = Partial<Pick<PipelineContext, 'transports' | 'savedCredentials' | 'checkPlaces'>>;
