import { totalmem } from 'node:os';
import { dirname } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import type { CreatedRecord, JobProgressRecord, JobRecord } from '../../src/shared/records.js';
import { defaultMaxOutputs } from '../../src/shared/settings/limits.js';
import { isFinal } from '../../src/shared/states.js';
import { freezeOnSuspend } from '../../src/shared/util/freezer.js';
import type { AppContext } from '../actions/app-context.js';
import { createJob } from '../actions/create-job.js';
import { findJob } from '../actions/find-job.js';
import { cancelJob } from '../actions/remove-job.js';
import {
  defaultEncodeLimits,
  type EncodeLimits,
  missingFfmpegMessage,
  noIoIdle,
  openFfmpeg,
  type SandboxMode,
} from '../ffmpeg/index.js';
import type { JobInput } from '../jobs/job.js';
import { jobRecord } from '../jobs/view.js';
import { fileArgument } from '../plan/safe-input.js';
import { md5OfFile } from '../transfer/incremental-md5.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import type { AppOptions } from './app-options.js';
import { createAppContext } from './create-app-context.js';
import { type OnBytes, withStream } from './stream-output.js';

const maxMemoryPart = 0.8;

/** The options of a one-shot run. */
interface OneShotRunOptions {
  /** An empty folder to work in. The caller removes it. */
  readonly folder: string;
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  readonly sandbox?: SandboxMode;
  /**
   * Cancels the job; everything unfinished is removed before the promise resolves. A destination that does not answer has
   * two seconds for that.
   */
  readonly signal: AbortSignal;
  /** Whether URLs may lead to private addresses; they may by default. */
  readonly allowPrivateNetwork?: boolean;
  /** See `AppOptions`. */
  readonly isEmbedded?: boolean;
  readonly encodeTurns?: AppOptions['encodeTurns'];
  /** Number of encodes in this process, which share its memory; 1 if absent. */
  readonly concurrentEncodes?: number;
  /** Receives the response to the create, before the job runs. */
  readonly onCreated?: (created: CreatedRecord) => Promise<void>;
  readonly onProgress: (record: JobProgressRecord) => void;
  /** Receives the bytes of the output while it is encoded. There must be one output, which ffmpeg can stream. */
  readonly onBytes?: OnBytes;
  /** Receives the command lines of ffmpeg and other details of the job. */
  readonly onDetail?: ((message: string) => void) | undefined;
  /** Receives unexpected errors, with their stacks, and why a flag has no effect. */
  readonly onError?: (message: string) => void;
  readonly stallTimeoutSeconds: number;
  /** How far ffmpeg makes way for other programs; as `defaultEncodeLimits` if absent. */
  readonly priority?: Pick<EncodeLimits, 'nice' | 'isIoIdle'>;
  /** Whether the MD5 of local files is computed, for a caller that shows the record: that of the input meanwhile. */
  readonly hasMd5: boolean;
}

/**
 * Runs one request in this process, without a daemon (`venc run`), with an `AppContext` on a temporary folder. Any file
 * is allowed. Resolves to the job in its final state, failed and cancelled jobs included, and to null for a
 * request with `mock`, which creates none. Ctrl-Z stops its programs as well. Rejects with `InvalidRequestError` if the
 * request is invalid, `UnavailableError` if there is no ffmpeg.
 */
export async function runOneShot(request: unknown, options: OneShotRunOptions): Promise<JobRecord | null> {
  const { onBytes, signal, isEmbedded = false, encodeTurns, concurrentEncodes } = options;
  const cleanup = limitCleanup(signal);
  const openContext = await createAppContext({
    dataFolder: options.folder,
    filesRoots: [],
    isOwnFiles: true,
    hasMd5: options.hasMd5 ? 'outputs' : false,
    allowPrivateNetwork: options.allowPrivateNetwork ?? true,
    ...{ isEmbedded, cleanupEnd: cleanup.end },
    ...(encodeTurns === undefined ? {} : { encodeTurns }),
    stallTimeoutSeconds: options.stallTimeoutSeconds,
    minFreeBytes: 0,
    maxOutputs: defaultMaxOutputs,
    // One encode of the user's own files: most of the machine.
    encodeLimits: {
      ...{ ...defaultEncodeLimits, ...options.priority },
      maxMemoryBytes: Math.round((totalmem() * maxMemoryPart) / (concurrentEncodes ?? 1)),
    },
    ffmpeg: options.ffmpeg,
    ffprobe: options.ffprobe,
    sandbox: options.sandbox ?? 'auto',
    apiKey: null,
    isVerbose: options.onDetail !== undefined,
    ...(onBytes === undefined ? {} : { wrapFfmpeg: (ffmpeg) => withStream(ffmpeg, onBytes) }),
    log: ({ level, message, isDetail, stderr }) => {
      if (isDetail === true) for (const line of [message, ...(stderr ?? [])]) options.onDetail?.(line);
      else if (level === 'error' || message === noIoIdle) options.onError?.(message);
    },
  });
  const endFreezing = isEmbedded ? () => undefined : freezeOnSuspend();
  try {
    await openContext.start(1);
    return await submitAndFollow(openContext.appContext, request, options);
  } finally {
    endFreezing();
    await Promise.race([openContext.close(0), cleanup.given]);
    cleanup.stop();
  }
}

/** How long a run that was cancelled may clean up at its destinations, and how long its end is awaited. */
const cleanupMs = 2000;
const givenUpMs = 2500;

/**
 * Limits the cleanup of a run: `end` is aborted two seconds after its signal, and `given` resolves when its end is not
 * awaited any longer.
 */
function limitCleanup(signal: AbortSignal) {
  const end = new AbortController();
  const giveUp = new AbortController();
  const given = new Promise<void>((resolve) => giveUp.signal.addEventListener('abort', () => resolve()));
  const timers: NodeJS.Timeout[] = [];
  const begin = () => {
    timers.push(
      setTimeout(() => end.abort(), cleanupMs),
      setTimeout(() => giveUp.abort(), givenUpMs),
    );
  };
  signal.addEventListener('abort', begin, { once: true });
  if (signal.aborted) begin();
  return {
    end: end.signal,
    given,
    stop() {
      signal.removeEventListener('abort', begin);
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

async function submitAndFollow(
  appContext: AppContext,
  request: unknown,
  { signal, onCreated, onProgress, hasMd5 }: OneShotRunOptions,
): Promise<JobRecord | null> {
  const account = appContext.accounts.account('default');
  if (account === null) throw new TypeError('a new data folder has a default account');
  const created = await createJob(appContext, { account, baseUrl: 'http://localhost' }, request);
  await onCreated?.(created);
  if (created.id === null) return null;
  const id = Number(created.id);
  const md5End = new AbortController();
  const inputMd5 = hasMd5
    ? measureInput((await findJob(appContext, account.id, id)).input, md5End.signal)
    : Promise.resolve(null);
  try {
    const feed = await appContext.events.subscribe(id, () => findJob(appContext, account.id, id));
    const interrupt = () => feed.cancel();
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
    let hasEnded = false;
    for (let item = await feed.next(); item !== null; item = await feed.next()) {
      if (item === 'heartbeat') continue;
      onProgress(item.record);
      hasEnded = isFinal(item.record.state);
    }
    signal.removeEventListener('abort', interrupt);
    // Fails if the job ended at the same time. Finished outputs stay, and the record names them.
    if (!hasEnded) await cancelJob(appContext, account.id, id).catch(() => {});
    const record = jobRecord(await findJob(appContext, account.id, id));
    const { input_media_file: input } = record;
    if (signal.aborted || input.file_size_bytes === null) return record;
    return {
      ...record,
      input_media_file: { ...input, md5_checksum: input.md5_checksum ?? (await inputMd5) },
    };
  } finally {
    md5End.abort();
  }
}

/**
 * The MD5 of an input on this machine, which is read while the job runs. Null if another one is expected, because the
 * job reads it then, and if it cannot be read.
 */
async function measureInput({ url, expectedMd5 }: JobInput, signal: AbortSignal): Promise<string | null> {
  const parsed = parseFileUrl(url);
  if (!parsed.ok || expectedMd5 !== undefined) return null;
  return md5OfFile(parsed.path, signal).catch(() => null);
}

/** Length of the sample in seconds. */
const sampleSeconds = 10;

/** The options of `makeSample`. */
interface SampleOptions {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  readonly sandbox?: SandboxMode;
  readonly signal: AbortSignal;
}

/**
 * Writes a test video with a tone to `path`: a source that is cheap to make and large enough to be worth
 * encoding. It is MJPEG and PCM at 1280x720, which every ffmpeg can write. Rejects with `UnavailableError` if
 * there is no ffmpeg.
 */
export async function makeSample(
  path: string,
  { ffmpeg: ffmpegPath, ffprobe, sandbox = 'auto', signal }: SampleOptions,
): Promise<void> {
  const { ffmpeg } = await openFfmpeg({ ffmpeg: ffmpegPath, ffprobe, sandbox });
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
  const video = `testsrc2=size=1280x720:rate=25:duration=${sampleSeconds}`;
  const audio = `sine=frequency=440:sample_rate=48000:duration=${sampleSeconds}`;
  const inputs = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', audio];
  const encoders = ['-c:v', 'mjpeg', '-q:v', '5', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le'];
  await ffmpeg.run([...inputs, ...encoders, '-f', 'mov', '-y', fileArgument(path)], {
    signal,
    scratch: dirname(path),
    onProgress: () => {},
  });
}
