import { isFinal } from '../../src/shared/states.js';
import type { Log } from '../../src/shared/util/log.js';
import { parseFileRefUrl, parseHostedAddress } from '../hosted-files/file-ref.js';
import type { FileRef, HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { FileNeed } from '../hosted-files/hosted-file-store-state.js';
import type { Job } from '../jobs/job.js';
import { readUrlsOf } from '../jobs/source-urls.js';
import { hostedFilesOf } from '../jobs/thumbnails.js';
import type { JobListener, JobStore } from '../store/job-store.js';

/** How long the tokens that jobs need are known before they are collected again, in milliseconds. */
const tokensTtlMs = 60_000;

/** Which files the daemon must keep longer than 24 hours. */
interface NeededFiles {
  /**
   * Why a job that has not ended needs the files of this token: it names them, or has delivered them. Null if none
   * does.
   */
  needOf(token: string): Promise<FileNeed | null>;
}

/**
 * Finds the files that jobs need among the jobs that have not ended, at most once a minute and only when the time of a
 * file is over. It never reads the jobs that have ended.
 */
export function createNeededFiles(store: Pick<JobStore, 'active' | 'watch'>): NeededFiles {
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
  return {
    async needOf(token) {
      if (collected === null || performance.now() - collected.at > tokensTtlMs)
        collected = { needs: collect(), at: performance.now() };
      const { needs } = collected;
      try {
        return (await needs).get(token) ?? null;
      } catch (error) {
        collected = null;
        throw error;
      }
    },
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
export function renewUploads(uploads: Pick<HostedFileStore, 'renew'>, log: Log): JobListener {
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
