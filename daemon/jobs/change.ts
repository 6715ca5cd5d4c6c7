import type { FileFacts } from './job.js';
import type { JobFailure } from './job-failure.js';
import type { MediaFacts } from './media.js';

/** Everything that can happen to a job. */
export type Change =
  | { readonly type: 'queued' }
  | { readonly type: 'claimed'; readonly token: string }
  | { readonly type: 'inspected'; readonly media: MediaFacts; readonly file: FileFacts }
  | { readonly type: 'input-failed'; readonly failure: JobFailure }
  | { readonly type: 'output-assigned'; readonly id: number }
  | { readonly type: 'output-started'; readonly id: number }
  | {
      readonly type: 'output-finished';
      readonly id: number;
      readonly media: MediaFacts;
      readonly file: FileFacts;
    }
  | { readonly type: 'output-failed'; readonly id: number; readonly failure: JobFailure }
  /** The run gives the job back in good order, as at a stop of the daemon. */
  | { readonly type: 'released' }
  /** The run ended without a word, as a start of the daemon finds out. */
  | { readonly type: 'lost' }
  | { readonly type: 'cancelled' }
  | { readonly type: 'resubmitted' }
  /** A notice was taken by the one it is for. */
  | { readonly type: 'notice-delivered'; readonly notificationId: string }
  /** An attempt at a notice came to nothing: it is due again later, or given up after the last one. */
  | { readonly type: 'notice-failed'; readonly notificationId: string };

/** The name of a change. */
export type ChangeType = Change['type'];
