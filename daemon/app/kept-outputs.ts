import { access, constants, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { hasGeneratedName, inputFileName } from '../../src/shared/file-labels.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isFinal } from '../../src/shared/states.js';
import { sanitizeFileName, truncateFileName } from '../../src/shared/text/file-names.js';
import { withoutExtension } from '../../src/shared/text/url-text.js';
import { Semaphore } from '../../src/shared/util/semaphore.js';
import { diskReason } from '../../src/shared/util/system-code.js';
import { parseFileRefUrl } from '../hosted-files/file-ref.js';
import type { HostedFileStore } from '../hosted-files/hosted-file-store.js';
import type { FileNeed } from '../hosted-files/hosted-file-store-state.js';
import { OutputFolder } from '../hosted-files/output-folder.js';
import type { Job } from '../jobs/job.js';
import type { AppBase } from './app-options.js';

/** Number of jobs per page when the jobs of files are looked for. */
const pageSize = 200;

type NeedOf = (token: string) => Promise<FileNeed | null>;

/** Opens the folder of `--output-dir`; null without one. Rejects with `UsageError` if it cannot be used. */
export async function openKeptOutputs(base: AppBase): Promise<KeptOutputs | null> {
  const { outputFolder = null, dataFolder } = base.options;
  if (outputFolder === null) return null;
  const [data, folder] = await Promise.all([realpath(dataFolder), realpath(outputFolder)]);
  if (`${folder}/`.startsWith(`${data}/`))
    throw new VencError('UsageError', `--output-dir ${outputFolder} is in the data folder.`, {
      hint: 'choose another folder: venc removes files that it does not know from the data folder',
    });
  await access(folder, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    const reason = diskReason(error, 'write', 'the daemon has');
    throw new VencError('UsageError', `--output-dir ${outputFolder} cannot be used: ${reason}.`);
  });
  const kept = new KeptOutputs(base, new OutputFolder(join(data, 'hosted'), folder));
  base.records.watchOwn((job, before) => kept.observe(job, before));
  base.onClose(() => kept.close());
  return kept;
}

/**
 * Keeps hosted outputs in the folder of `--output-dir` once all outputs with the same token are final. What failed is
 * tried again at each cleanup. Until then the files neither expire nor are removed with their job.
 */
export class KeptOutputs {
  readonly #base: AppBase;
  readonly #folder: OutputFolder;
  readonly #oneAtATime = new Semaphore(1);
  readonly #closed = new AbortController();
  /** The job of each token that is not kept yet. */
  readonly #jobIds = new Map<string, number>();
  /** The last attempt of each token, which is running or waits. */
  readonly #attempts = new Map<string, Promise<void>>();
  /** Whether the jobs of files of an earlier start were looked for. */
  #hasRecovered = false;

  constructor(base: AppBase, folder: OutputFolder) {
    this.#base = base;
    this.#folder = folder;
  }

  /** Keeps the outputs that a change of a job made final. */
  observe(job: Job, before: Job | null): void {
    for (const token of tokensOf(job)) {
      const version = versionOf(job, token);
      if (version === null || (before !== null && before !== job && versionOf(before, token) === version))
        continue;
      void this.#keep(token, job);
    }
  }

  /** Keeps what is not kept yet, at the start also that of earlier starts. Never rejects. */
  async keepAll(): Promise<void> {
    try {
      if (!this.#hasRecovered) await this.#keepOfEarlierStarts();
      this.#hasRecovered = true;
      for (const [token, jobId] of [...this.#jobIds]) {
        const job = this.#attempts.has(token)
          ? null
          : await this.#base.records.store.get(jobId).catch(() => null);
        if (job !== null) void this.#keep(token, job);
      }
      await Promise.all(this.#attempts.values());
    } catch (error) {
      this.#base.log(
        'error',
        `Hosted outputs of earlier starts could not be kept in --output-dir: ${String(error)}`,
      );
    }
  }

  /** Why files are needed: also until they are kept. */
  needOf(needOf: NeedOf): NeedOf {
    return async (token) => (await needOf(token)) ?? (this.#jobIds.has(token) ? 'delivered' : null);
  }

  /** The store, whose files are not removed while they are being kept. */
  protect(hosted: HostedFileStore): HostedFileStore {
    return {
      ...hosted,
      removeAll: async (token) => {
        await this.#attempts.get(token);
        this.#jobIds.delete(token);
        await hosted.removeAll(token);
      },
    };
  }

  /** Stops copies; the next start makes them again. */
  async close(): Promise<void> {
    this.#closed.abort();
    await Promise.all(this.#attempts.values());
  }

  async #keepOfEarlierStarts(): Promise<void> {
    const unkept = new Set(await this.#folder.unkept());
    for (let offset = 0; unkept.size > 0 && !this.#closed.signal.aborted; offset += pageSize) {
      const { jobs } = await this.#base.records.store.list({ offset, limit: pageSize });
      if (jobs.length === 0) return;
      for (const job of jobs)
        for (const token of tokensOf(job)) if (unkept.delete(token)) void this.#keep(token, job);
    }
  }

  #keep(token: string, job: Job): Promise<void> {
    const version = versionOf(job, token);
    if (version === null) return Promise.resolve();
    this.#jobIds.set(token, job.id);
    const attempt = this.#oneAtATime
      .runExclusive(() => this.#tryToKeep(token, job, version))
      .finally(() => {
        if (this.#attempts.get(token) === attempt) this.#attempts.delete(token);
      });
    this.#attempts.set(token, attempt);
    return attempt;
  }

  async #tryToKeep(token: string, job: Job, version: string): Promise<void> {
    const { records, log, options } = this.#base;
    const { signal } = this.#closed;
    const account = records.accounts.account(job.accountId)?.name ?? job.accountId;
    try {
      if (signal.aborted) return;
      const path = await this.#folder.keep({ token, account, name: nameOf(job, token), version }, signal);
      this.#jobIds.delete(token);
      if (path !== null && job.isPrivate !== true)
        log('info', `Kept in --output-dir: ${path}`, { jobId: job.id });
    } catch (error) {
      if (signal.aborted) return;
      const reason = diskReason(error, 'write', 'the daemon has');
      log(
        'warn',
        `A hosted output is not in --output-dir ${options.outputFolder} yet: ${reason}. It is tried again within 15 minutes.`,
        {
          jobId: job.id,
        },
      );
    }
  }
}

function tokensOf({ outputs }: Job): ReadonlySet<string> {
  return new Set(outputs.flatMap(({ destination }) => tokenOf(destination) ?? []));
}

function outputsOf({ outputs }: Job, token: string): Job['outputs'] {
  return outputs.filter(({ destination }) => tokenOf(destination) === token);
}

function tokenOf(destination: string): string | null {
  return destination.startsWith('hosted:') ? (parseFileRefUrl(destination)?.token ?? null) : null;
}

/** When the outputs with a token finished; null if some are not final, or none has finished. */
function versionOf(job: Job, token: string): string | null {
  const outputs = outputsOf(job, token);
  const finished = outputs.filter(({ state }) => state === 'finished');
  if (finished.length === 0 || !outputs.every(({ state }) => isFinal(state))) return null;
  return finished.map(({ id, finishedAt }) => `${id} ${finishedAt}`).join(', ');
}

/**
 * The name under which the outputs with a token are kept: that of their playlist, or of the first. A generated name is
 * replaced by that of the input.
 */
function nameOf(job: Job, token: string): string {
  const outputs = outputsOf(job, token).filter(({ state }) => state === 'finished');
  const main = outputs.find(({ settings }) => isPlaylist(settings)) ?? outputs[0];
  const name = parseFileRefUrl(main?.destination ?? '')?.name ?? '';
  const base = withoutExtension(name);
  const { inputName: input_name } = job;
  const input = inputFileName({
    ...(input_name === undefined ? {} : { input_name }),
    input_media_file: { url: job.input.url },
    output_media_files: [],
  });
  const stem = hasGeneratedName(main?.url ?? '') ? withoutExtension(input ?? '') : base;
  const safe = sanitizeFileName(stem).replace(/^[-.]/, '_');
  return truncateFileName(
    `${safe === '' ? `job-${job.id}` : safe}${sanitizeFileName(name.slice(base.length))}`,
  );
}
