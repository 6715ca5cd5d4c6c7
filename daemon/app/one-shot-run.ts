import { VencError } from '../../src/shared/errors.js';
import type { JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import { defaultMaxOutputs } from '../../src/shared/settings/limits.js';
import { isFinal } from '../../src/shared/states.js';
import type { AppContext } from '../actions/app-context.js';
import { cancelJob } from '../actions/cancel-job.js';
import { createJob } from '../actions/create-job.js';
import { findJob } from '../actions/find-job.js';
import { readJob } from '../actions/read-jobs.js';
import { createAppContext } from './create-app-context.js';

/** How one encode without a daemon goes on. */
export interface OneShotRunOptions {
  /** An empty folder to work in; it is the caller's to remove. */
  readonly folder: string;
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  /** Cancels the job; everything unfinished is removed before the promise rejects with `InterruptedError`. */
  readonly signal: AbortSignal;
  readonly onProgress: (record: JobProgressRecord) => void;
  /** Receives unexpected errors, with their stacks. */
  readonly onError?: (message: string) => void;
  readonly stallTimeoutSeconds: number;
}

/**
 * Carries one request out in this process, without a daemon (`venc run`): the same workshop, on a folder that is
 * lent to it. Takes any file and address of the person's own. Resolves to the job as it ended, failed ones
 * included, and to null for a request with `mock`, which makes none; rejects with `InvalidRequestError` where the request is refused, `UnavailableError` without any ffmpeg.
 */
export async function runOneShot(request: unknown, options: OneShotRunOptions): Promise<JobRecord | null> {
  const openContext = await createAppContext({
    dataFolder: options.folder,
    filesRoots: [],
    isOwnFiles: true,
    allowPrivateNetwork: true,
    stallTimeoutSeconds: options.stallTimeoutSeconds,
    minFreeBytes: 0,
    maxOutputs: defaultMaxOutputs,
    ffmpeg: options.ffmpeg,
    ffprobe: options.ffprobe,
    apiKey: null,
    log: (level, message) => (level === 'error' ? options.onError?.(message) : undefined),
  });
  try {
    await openContext.start(1);
    return await submitAndFollow(openContext.appContext, request, options);
  } finally {
    await openContext.close(0);
  }
}

async function submitAndFollow(
  appContext: AppContext,
  request: unknown,
  { signal, onProgress }: OneShotRunOptions,
): Promise<JobRecord | null> {
  const account = appContext.accounts.account('default');
  if (account === null) throw new TypeError('a new workshop has an account of its own');
  const created = await createJob(appContext, { account, baseUrl: 'http://localhost' }, request);
  if (created.id === null) return null;
  const id = Number(created.id);
  const feed = await appContext.events.subscribe(id, () => findJob(appContext, account.id, id));
  const interrupt = () => feed.cancel();
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  let isFinished = false;
  for (let item = await feed.next(); item !== null; item = await feed.next()) {
    if (item === 'heartbeat') continue;
    onProgress(item.record);
    isFinished = isFinal(item.record.state);
  }
  signal.removeEventListener('abort', interrupt);
  if (isFinished) return readJob(appContext, account.id, id);
  await cancelJob(appContext, account.id, id).catch(() => {});
  throw new VencError(
    'InterruptedError',
    'Interrupted: the encoding was cancelled and nothing was left behind.',
  );
}
