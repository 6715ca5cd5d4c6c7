import { join } from 'node:path';
import { isFinal } from '../../src/shared/states.js';
import type { Log } from '../../src/shared/util/log.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { createHostedFileStore } from '../hosted-files/create-hosted-file-store.js';
import { parseFileRefUrl, parseHostedAddress } from '../hosted-files/file-ref.js';
import type { FileRef, HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { FileNeed } from '../hosted-files/hosted-file-store-state.js';
import { UnfinishedUploads } from '../hosted-files/unfinished-uploads.js';
import type { Job } from '../jobs/job.js';
import { readUrlsOf } from '../jobs/source-urls.js';
import { hostedFilesOf } from '../jobs/thumbnails.js';
import { createSsrfGuard } from '../net/ssrf-guard.js';
import type { JobListener, JobStore } from '../store/job-store.js';
import { type CleanupJournal, openCleanupJournal } from '../transfer/cleanup-journal.js';
import { createTransports } from '../transports/create-transports.js';
import { observeTransports } from '../transports/registry.js';
import { hostsOf } from '../transports/s3/s3-transport.js';
import { servicesFrom } from '../transports/services.js';
import type { AppBase } from './app-options.js';
import { createRetryLog } from './create-log.js';
import { type KeptOutputs, openKeptOutputs } from './kept-outputs.js';

/** Opens what files go through: hosted files, uploads and transports. */
export async function openFiles(base: AppBase) {
  const { options, records, log, stallTimeoutMs } = base;
  const { dataFolder, observers = null } = options;
  const cleanupJournal = openCleanupJournal(join(dataFolder, 'leftovers'));
  const keptOutputs = await openKeptOutputs(base);
  // Assigned before the first upload arrives.
  let unfinishedUploads: UnfinishedUploads | null = null;
  const announcedBytes = () => unfinishedUploads?.announcedBytes() ?? 0;
  const stores = await openHostedFiles(base, { cleanupJournal, keptOutputs, announcedBytes });
  const { hosted, uploads, close } = stores;
  base.onClose(async () => close());
  const { now, minFreeBytes } = base;
  unfinishedUploads = new UnfinishedUploads({
    ...{ uploads, now, randomToken, stallTimeoutMs, minFreeBytes },
    // Next to the uploads, so that a complete file is moved and not copied.
    folder: join(dataFolder, 'uploads', '.parts'),
  });
  await unfinishedUploads.load();
  base.onClose(unfinishedUploads.close.bind(unfinishedUploads));
  const unobserved = createTransports({
    allowPrivateNetwork: options.allowPrivateNetwork,
    filesRoots: options.filesRoots,
    allowsAnyPath: options.isOwnFiles ?? false,
    hasMd5: options.hasMd5 ?? true,
    ...{ stallTimeoutMs, hosted, uploads, cleanupJournal },
    services: servicesFrom(process.env),
    onRetry: createRetryLog(log),
    hostKeysPath: join(dataFolder, 'known_hosts'),
    ...(options.cleanupEnd === undefined ? {} : { cleanupEnd: options.cleanupEnd }),
  });
  const transports =
    observers === null ? unobserved : observeTransports(unobserved, observers.metrics.observeBytes);
  records.watchOwn(base.hooks.jobChanged);
  records.watchOwn(renewUploads(uploads, log));
  return { hosted, uploads, unfinishedUploads, transports, cleanupJournal, keptOutputs };
}

/**
 * Opens the stores of hosted outputs and uploads: in the data folder, or in a bucket that several daemons may share
 * (`--hosted`). Rejects with `UsageError` if the bucket cannot be used.
 */
async function openHostedFiles(
  base: AppBase,
  parts: {
    readonly cleanupJournal: CleanupJournal;
    readonly keptOutputs: KeptOutputs | null;
    /** Space that unfinished uploads still need. */
    readonly announcedBytes: () => number;
  },
) {
  const { cleanupJournal, keptOutputs, announcedBytes } = parts;
  const { options, records, now, minFreeBytes, stallTimeoutMs } = base;
  const { dataFolder, hosted: url = null } = options;
  const needOf = createNeedOf(records.store);
  if (url !== null) {
    const { s3: service } = servicesFrom(process.env);
    // Loaded only here, with the SDK of S3.
    const { openBucketFiles } = await import('../transports/hosted/open-bucket-files.js');
    const guard = createSsrfGuard({
      allowPrivateNetwork: options.allowPrivateNetwork,
      exemptHosts: hostsOf(service),
    });
    const remoteOptions = { service, guard, stallTimeoutMs, cleanupJournal };
    return openBucketFiles(url, { now, randomToken, log: base.log, remoteOptions, needOf });
  }
  const folderOptions = { now, randomToken, stallTimeoutMs, minFreeBytes, needOf };
  const hostedFolder = join(dataFolder, 'hosted');
  const hosted =
    keptOutputs === null
      ? createHostedFileStore(hostedFolder, folderOptions)
      : keptOutputs.protect(
          createHostedFileStore(hostedFolder, { ...folderOptions, needOf: keptOutputs.needOf(needOf) }),
        );
  const uploads = createHostedFileStore(join(dataFolder, 'uploads'), {
    ...folderOptions,
    announcedBytes,
    renewsNeeded: true,
  });
  const close = () => {
    hosted.close();
    uploads.close();
  };
  return { hosted, uploads, close };
}

/** How long the tokens that jobs need are known before they are collected again, in milliseconds. */
const tokensTtlMs = 60_000;

/**
 * Returns a function that reports why a job that has not ended needs the files of a token: it names them, or has
 * delivered them. Null if no job needs them. The daemon keeps such files longer than 24 hours.
 *
 * It looks among the jobs that have not ended, at most once a minute and only when the time of a file is over. It never
 * reads the jobs that have ended.
 */
export function createNeedOf(
  store: Pick<JobStore, 'active' | 'watch'>,
): (token: string) => Promise<FileNeed | null> {
  let collected: { readonly needs: Promise<ReadonlyMap<string, FileNeed>>; readonly at: number } | null =
    null;
  store.watch((job, before) => {
    const isAdded = before === null || before === job || isFinal(before.state);
    if (isAdded && !isFinal(job.state)) collected = null;
  });
  const collect = async () => {
    const jobs = await store.active();
    const needs = new Map<string, FileNeed>();
    for (const url of jobs.flatMap(hostedFilesOf)) addNeed(needs, parseFileRefUrl(url), 'delivered');
    for (const url of jobs.flatMap(readUrlsOf))
      addNeed(needs, parseFileRefUrl(url) ?? parseHostedAddress(url), 'read');
    return needs;
  };
  return async (token) => {
    if (collected === null || performance.now() - collected.at > tokensTtlMs)
      collected = { needs: collect(), at: performance.now() };
    const { needs } = collected;
    try {
      return (await needs).get(token) ?? null;
    } catch (error) {
      collected = null;
      throw error;
    }
  };
}

function addNeed(needs: Map<string, FileNeed>, ref: FileRef | null, need: FileNeed): void {
  if (ref !== null) needs.set(ref.token, need);
}

/**
 * Starts the 24 hours of the uploads of a job again when the job begins, ends or is resubmitted, so that they last 24
 * hours after the last of their jobs has ended. They are also started at the beginning, because a crash may come
 * between the end of a job and this.
 */
function renewUploads(uploads: Pick<HostedFileStore, 'renew'>, log: Log): JobListener {
  return (job, before) => {
    if (before === null || before.state === job.state) return;
    for (const token of uploadTokensOf(job))
      uploads.renew(token).catch((error: unknown) => {
        log('warn', `An upload of job ${job.id} may expire too early: ${String(error)}`, { jobId: job.id });
      });
  };
}

function uploadTokensOf(job: Job): readonly string[] {
  return readUrlsOf(job)
    .filter((url) => /^upload:/i.test(url))
    .flatMap((url) => parseFileRefUrl(url)?.token ?? []);
}
