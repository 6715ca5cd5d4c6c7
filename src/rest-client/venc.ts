import type { CreatedJob, Job, JobProgress, ListedJob, PresetList } from '../api-types/api-types.js';
import { fieldsOf, itemsOf, readNumber } from '../shared/client/coerce.js';
import {
  normaliseCreated,
  normaliseInput,
  normaliseJob,
  normaliseOutput,
  normaliseProgress,
  progressOfJob,
  unwrapJob,
  unwrapJobs,
} from '../shared/client/normalise.js';
import { isObject } from '../shared/util/is-object.js';
import { maxTimerMs } from '../shared/util/timing.js';
import type * as declared from './declarations.js';
import { invalidOption, NotFoundError, TimeoutError } from './errors.js';
import {
  type FollowContext,
  followChanges,
  followJobs,
  idsIn,
  readProgress,
  unfinishedFiles,
} from './follow.js';
import { type Call, Transport } from './transport.js';
import { putUpload, randomName } from './uploads.js';

/** A client of one service. See declarations.ts. */
export class Venc implements declared.Venc {
  readonly jobs: declared.Jobs;
  readonly inputs: declared.Inputs;
  readonly outputs: declared.Outputs;
  readonly uploads: declared.Uploads;
  readonly reports: declared.Reports;
  readonly presets: declared.Presets;
  readonly version: declared.Venc['version'];

  constructor(options: declared.VencOptions = {}) {
    const transport = new Transport(options);
    const read = async (path: string, options: declared.CallOptions = {}, query = {}) =>
      (await transport.call(path, { query, signal: signalOf(options) })).body;
    this.jobs = createJobs(transport);
    this.inputs = {
      get: async (id, options) =>
        kept(normaliseInput)(await read(`/v2/inputs/${segment(id)}.json`, options)) as never,
      progress: async (id, options) =>
        kept(normaliseProgress)(await read(`/v2/inputs/${segment(id)}/progress.json`, options)) as never,
    };
    this.outputs = {
      get: async (id, options) =>
        kept(normaliseOutput)(await read(`/v2/outputs/${segment(id)}.json`, options)) as never,
      progress: async (id, options) =>
        kept(normaliseProgress)(await read(`/v2/outputs/${segment(id)}/progress.json`, options)) as never,
    };
    this.uploads = { put: (name, source, options = {}) => putUpload(transport, name, source, options) };
    const report =
      (kind: string) =>
      async ({ signal, ...query }: declared.ReportOptions = {}) =>
        (await read(`/v2/reports/${kind}.json`, { signal }, query)) as never;
    this.reports = { all: report('all'), live: report('live'), vod: report('vod') };
    const preset = (name: string) => `/v2/presets/${segment(name)}`;
    this.presets = {
      list: async (options) => (await read('/v2/presets', options)) as PresetList,
      get: async (name, options) => (await read(preset(name), options)) as never,
      save: async (name, settings, options) =>
        (await transport.call(preset(name), { method: 'PUT', body: settings, signal: signalOf(options) }))
          .body as never,
      remove: async (name, options) => {
        await transport.call(preset(name), { method: 'DELETE', signal: signalOf(options) });
      },
    };
    this.version = async (options) => (await read('/version', options)) as never;
  }
}

function createJobs(transport: Transport): declared.Jobs {
  /** Whether the service has the route of the progress of a job; null until that is known. */
  let hasProgress: boolean | null = null;

  const get = async (job: declared.JobReference, options?: declared.CallOptions): Promise<Job> => {
    const id = idOf(job);
    const isValid = (body: unknown) => ['id', 'state'].some((name) => name in fieldsOf(unwrapJob(body)));
    const { body } = await transport.call(`/v2/jobs/${id}.json`, { signal: signalOf(options), isValid });
    return kept(normaliseJob)(unwrapJob(body), Number(id)) as unknown as Job;
  };

  const list = async ({ signal, ...query }: declared.ListOptions = {}): Promise<declared.JobPage> => {
    const isValid = (body: unknown) => Array.isArray(body) || 'jobs' in fieldsOf(body);
    const { body, headers } = await transport.call('/v2/jobs.json', {
      query,
      signal: signalOf({ signal }),
      isValid,
    });
    const jobs = unwrapJobs(body).map((job) => kept(normaliseJob)(job) as unknown as ListedJob);
    return { jobs, total: readNumber(headers.get('x-total-count')) };
  };

  const progress = async (
    job: declared.JobReference,
    options?: declared.CallOptions,
  ): Promise<JobProgress> => {
    const id = idOf(job);
    if (hasProgress !== false) {
      try {
        const { body } = await transport.call(`/v2/jobs/${id}/progress`, { signal: signalOf(options) });
        hasProgress = true;
        const { id: _, ...progress } = readProgress(Number(id), body);
        return progress;
      } catch (error) {
        if (hasProgress || !(error instanceof NotFoundError || isInvalidAnswer(error))) throw error;
      }
    }
    const details = await get(job, options);
    hasProgress ??= false;
    const records = new Map<number, ReturnType<typeof normaliseProgress>>();
    const files = [
      ['inputs', [details.input_media_file]],
      ['outputs', details.output_media_files],
    ] as const;
    for (const [kind, entries] of files)
      for (const file of unfinishedFiles(entries)) {
        const { body } = await transport.call(`/v2/${kind}/${file}/progress.json`, {
          signal: signalOf(options),
        });
        records.set(file, normaliseProgress(body));
      }
    return progressOfJob(details as never, records) as JobProgress;
  };

  const change = async (
    method: NonNullable<Call['method']>,
    job: declared.JobReference,
    end: string,
    options?: declared.CallOptions,
  ) => {
    await transport.call(`/v2/jobs/${idOf(job)}${end}`, { method, signal: signalOf(options) });
  };

  const contextOf = (options: declared.CallOptions | undefined): FollowContext => ({
    transport,
    signal: signalOf(options),
    progressOf: async (id) => ({ id, ...(await progress(id, options)) }),
    newestIds: async () => idsIn((await list({ ...options })).jobs),
  });

  function events(
    jobs: declared.JobReference | readonly declared.JobReference[],
    options?: declared.CallOptions,
  ): AsyncGenerator<declared.JobEvent, void, undefined>;
  function events(options?: declared.CallOptions): AsyncGenerator<never, void, undefined>;
  function events(first?: unknown, options?: declared.CallOptions): unknown {
    const isReference =
      typeof first !== 'object' || first === null
        ? first !== undefined && first !== null
        : Array.isArray(first) || 'id' in first;
    if (!isReference) return followChanges(contextOf(first as declared.CallOptions | undefined));
    const references = (Array.isArray(first) ? first : [first]) as readonly declared.JobReference[];
    return followJobs(
      contextOf(options),
      references.map((job) => Number(idOf(job))),
    );
  }

  return {
    create: async (request, { signal, idempotency_key } = {}) => {
      const { body } = await transport.call('/v2/jobs', {
        ...{ method: 'POST', body: request, signal: signalOf({ signal }), repeat: 'create' },
        headers: { 'Idempotency-Key': idempotency_key ?? randomName() },
        isValid: (answer) => 'id' in fieldsOf(answer),
      });
      return kept(normaliseCreated)(body) as CreatedJob;
    },
    get,
    list,
    progress,
    events,
    cancel: (job, options) => change('PUT', job, '/cancel.json', options),
    resubmit: (job, options) => change('PUT', job, '/resubmit.json', options),
    remove: (job, options) => change('DELETE', job, '', options),
    wait: async (job, { signal, timeout_ms, on_progress } = {}) => {
      const controller = new AbortController();
      const abort = () => controller.abort(signal?.reason);
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      const late = () =>
        controller.abort(
          new TimeoutError(`The job did not end within ${timeout_ms} ms.`, {
            code: 'timeout',
            hint: 'it goes on: wait again',
          }),
        );
      const timer = timeout_ms === undefined ? undefined : setTimeout(late, Math.min(timeout_ms, maxTimerMs));
      const options = { signal: controller.signal } as declared.CallOptions;
      try {
        for await (const progress of events(job, options)) on_progress?.(progress);
        return await get(job, options);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      }
    },
  };
}

function signalOf(options: declared.CallOptions | undefined): AbortSignal | undefined {
  // The declared type is the part of a signal that is used.
  return options?.signal as AbortSignal | undefined;
}

function isInvalidAnswer(error: unknown): boolean {
  return (error as { readonly code?: unknown }).code === 'invalid_answer';
}

/** A part of a path. */
function segment(value: number | string): string {
  const text = String(value ?? '');
  if (text === '' || text === '.' || text === '..') throw invalidOption('id', 'There is no id or name.');
  return encodeURIComponent(text);
}

function idOf(job: declared.JobReference): string {
  const id = typeof job === 'object' && job !== null ? job.id : job;
  const text = String(id ?? '');
  if (!/^[1-9]\d*$/.test(text))
    throw invalidOption('job', 'There is no id of a job.', id === null ? 'a mock creates no job' : null);
  return text;
}

/**
 * Reads a record as the table of its fields says, and keeps what a later version of the service adds: numbers as text
 * become numbers, and missing fields null or empty.
 */
function kept<Rest extends readonly unknown[]>(normalise: (answer: unknown, ...rest: Rest) => unknown) {
  return (answer: unknown, ...rest: Rest): unknown => withOthers(answer, normalise(answer, ...rest));
}

function withOthers(sent: unknown, read: unknown): unknown {
  if (Array.isArray(read)) {
    const items = itemsOf(sent);
    return items.length === read.length ? read.map((item, index) => withOthers(items[index], item)) : read;
  }
  if (!isObject(read)) return read;
  const others = fieldsOf(sent);
  const entries = Object.entries(read).map(([name, value]) => [name, withOthers(others[name], value)]);
  return { ...others, ...Object.fromEntries(entries) };
}
