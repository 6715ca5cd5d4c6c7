import { createHash } from 'node:crypto';
import { invalidRequest, VencError } from '../../src/shared/errors.js';
import type { CreatedRecord } from '../../src/shared/records.js';
import type { JobRequest } from '../../src/shared/settings/index.js';
import { type JobRequestParseResult, parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { resolvePresets } from '../../src/shared/settings/presets.js';
import { toReportedWarnings } from '../../src/shared/settings/report-warnings.js';
import { toReportedErrors } from '../../src/shared/settings/sent-paths.js';
import type { ReportedWarning, RequestWarning } from '../../src/shared/settings/setting.js';
import { isObject } from '../../src/shared/util/is-object.js';
import { parseFileRefUrl } from '../hosted-files/file-ref.js';
import { apply } from '../jobs/changes.js';
import { draftJob, withServices } from '../jobs/draft.js';
import type { IdempotencyRecord, InPlaceFile, Job } from '../jobs/job.js';
import { withSentNotifications } from '../jobs/notifications.js';
import { readUrlsOf } from '../jobs/source-urls.js';
import { idempotencyTtlMs } from '../store/job-store.js';
import { acceptedMessage } from '../store/log-store.js';
import { type AppContext, requireHealthy } from './app-context.js';
import type { RequestCheckDeps, ResolvedOutput } from './check-outputs.js';
import { type CreateContext, checkRequest, validPartsOf } from './check-request.js';
import { findJob } from './find-job.js';
import { keepErrors, keepWarnings } from './keep-files.js';
import { presetsOf } from './presets.js';
import { requireQuota } from './quotas.js';
import { requiredServices } from './required-services.js';

type CreateJobDeps = RequestCheckDeps &
  Pick<
    AppContext,
    | 'maxOutputs'
    | 'maxKeepSeconds'
    | 'store'
    | 'queue'
    | 'inPlaceFiles'
    | 'checkHealth'
    | 'continueTrace'
    | 'now'
    | 'log'
  >;

/** Maximum length of an `Idempotency-Key`, in characters. */
const maxIdempotencyKeyLength = 255;

/**
 * Creates a job (section 4.1): replaces the presets in the request by their settings, parses it, checks it against
 * everything that is known without the input, stores the job with the warnings about its request, and enqueues it. Rejects with `InvalidRequestError`, which lists every
 * validation error; nothing is stored then. If the idempotency key was used before, resolves to the job of that create,
 * whatever its state, or rejects with `ConflictError` if the request differs.
 */
export async function createJob(
  appContext: CreateJobDeps,
  context: CreateContext,
  body: unknown,
): Promise<CreatedRecord> {
  const read = readRequest(appContext, context, body);
  const { resolved, parsed, inPlace } = read;
  const sent =
    inPlace === null || !isObject(body) || !parsed.ok ? body : { ...body, input: parsed.request.input };
  const idempotency = readIdempotencyKey(context, parsed, resolved.hasPreset ? sent : null);
  const existing = idempotency === null ? null : await findExisting(appContext, context, idempotency);
  if (existing !== null) return answerIdempotent(existing, idempotency);
  await requireHealthy(appContext);
  const { request, outputs, isTest, warnings } = await checkRead(appContext, context, read);
  if (request.mock ?? false) return mockRecord(outputs, isTest, warnings);
  const room = await requireQuota(appContext, context.account);
  const draft = draftJob({
    accountId: context.account.id,
    request: withSentNotifications(request, appContext.sendsMail),
    test: isTest,
    outputs: outputs.map((output) => ({
      ...output,
      settings: withSentNotifications(output.settings, appContext.sendsMail),
    })),
    warnings,
    now: appContext.now(),
    ...{ inPlace, idempotency },
  });
  const services = await requiredServices(appContext, draft.job);
  const job = await appContext.store.create(withServices(draft, services), room);
  // A concurrent create with the same key may have come first. Its job is enqueued again, which changes
  // nothing.
  const record = answerIdempotent(job, idempotency);
  if (context.traceparent !== undefined) appContext.continueTrace?.(job.id, context.traceparent);
  await appContext.queue.enqueue(job);
  appContext.log('info', acceptedMessage(job.id), { jobId: job.id, isImplied: true });
  return record;
}

type RequestDeps = RequestCheckDeps & Pick<AppContext, 'maxOutputs' | 'maxKeepSeconds' | 'inPlaceFiles'>;

/** A valid request, before anything is known of its input. */
interface CheckedJobRequest {
  readonly request: JobRequest;
  readonly outputs: readonly ResolvedOutput[];
  readonly isTest: boolean;
  readonly warnings: readonly ReportedWarning[];
}

/**
 * Replaces the presets of a request, parses it, and checks it against everything that is known without the input, as
 * `createJob` does. Rejects with `InvalidRequestError`, which lists every validation error.
 */
export function checkJobRequest(
  appContext: RequestDeps,
  context: CreateContext,
  body: unknown,
): Promise<CheckedJobRequest> {
  return checkRead(appContext, context, readRequest(appContext, context, body));
}

type ReadRequest = ReturnType<typeof readRequest>;

function readRequest(appContext: RequestDeps, context: CreateContext, body: unknown) {
  const resolved = resolvePresets(body, presetsOf(context.account));
  const parsed = parseJobRequest(resolved.body, { maxOutputs: appContext.maxOutputs });
  return { body, resolved, ...withInPlaceFile(appContext, context, parsed) };
}

async function checkRead(
  appContext: RequestDeps,
  context: CreateContext,
  { body, resolved, parsed, inPlace }: ReadRequest,
): Promise<CheckedJobRequest> {
  const parts = validPartsOf(parsed);
  const checkContext = { ...context, isInPlace: inPlace !== null };
  const { outputs, validationErrors, ...checked } = await checkRequest(appContext, checkContext, parts);
  const parseErrors = [...resolved.validationErrors, ...(parsed.ok ? [] : parsed.validationErrors)];
  const errors = [...validationErrors, ...keepErrors(appContext, parts.keep)];
  if (!parsed.ok || parseErrors.length > 0 || errors.length > 0)
    throw invalidRequest(toReportedErrors(parseErrors, errors, body).map(resolved.withOrigin));
  const { request } = parsed;
  const requestWarnings = [
    ...integrationWarnings(context.account),
    ...parsed.warnings,
    ...checked.warnings,
    ...keepWarnings(request.keep, outputs),
  ];
  const warnings = toReportedWarnings(requestWarnings, body).map(({ field, message }) => ({
    field,
    message: resolved.withOrigin(`${field} ${message}`).slice(field.length + 1),
  }));
  const isTest = (request.test ?? false) || context.account.isIntegration;
  return { request, outputs, isTest, warnings };
}

/** Says why every job of an account in integration mode is a test job, and how that ends. */
function integrationWarnings({
  name,
  isIntegration,
  integrationSince: since,
  createdAt,
}: CreateContext['account']): readonly RequestWarning[] {
  if (!isIntegration) return [];
  const time = since === undefined ? '' : ` since ${since.slice(0, 16).replace('T', ' ')} UTC`;
  const cause = since === createdAt ? ', as every new account' : '';
  return [
    {
      field: 'test',
      message: `is true: the account ${name} is in integration mode${time}${cause}. The operator of the daemon ends it with: venc accounts live ${name}`,
    },
  ];
}

/**
 * A request whose input is a file that the client proved to be able to read (`in-place:`) names its path from here on:
 * records show it, and a repeat of the request has the same fingerprint. Throws `InvalidRequestError` if the account has
 * proved nothing of the kind.
 */
function withInPlaceFile(
  { inPlaceFiles }: Pick<AppContext, 'inPlaceFiles'>,
  { account }: CreateContext,
  parsed: JobRequestParseResult,
): { readonly parsed: JobRequestParseResult; readonly inPlace: InPlaceFile | null } {
  if (!parsed.ok || !/^in-place:/i.test(parsed.request.input)) return { parsed, inPlace: null };
  const found = inPlaceFiles.find(account.id, parsed.request.input);
  if (found === null)
    throw invalidRequest([
      'input does not name a file that this account has offered and proved within the last 10 minutes: offer it again',
    ]);
  return { parsed: { ...parsed, request: { ...parsed.request, input: found.url } }, inPlace: found.file };
}

/**
 * The idempotency record of the job; null without a key, for a mock, and for a request that is rejected
 * anyway. A body with presets is compared as it was sent: they may have changed since, or be gone.
 */
function readIdempotencyKey(
  { idempotencyKey: key = null }: CreateContext,
  parsed: JobRequestParseResult,
  bodyWithPresets: unknown,
): IdempotencyRecord | null {
  if (key === null) return null;
  if (key === '' || key.length > maxIdempotencyKeyLength) {
    throw invalidRequest([`the header Idempotency-Key must have 1 to ${maxIdempotencyKeyLength} characters`]);
  }
  if (parsed.ok && parsed.request.mock === true) return null;
  if (isObject(bodyWithPresets)) {
    const { api_key: _, ...sent } = bodyWithPresets;
    return { key, fingerprint: hashOf(withSortedNames(sent)) };
  }
  // Hashes the parsed request: order, spelling and format make no difference.
  return parsed.ok ? { key, fingerprint: hashOf(parsed.request) } : null;
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}

function withSortedNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withSortedNames);
  if (!isObject(value)) return value;
  const sorted = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, item]) => [name, withSortedNames(item)]));
}

function findExisting(
  appContext: Pick<AppContext, 'store' | 'now'>,
  { account }: CreateContext,
  { key }: IdempotencyRecord,
): Promise<Job | null> {
  const since = new Date(appContext.now().getTime() - idempotencyTtlMs);
  return appContext.store.findByIdempotencyKey(account.id, key, since);
}

function answerIdempotent(job: Job, idempotency: IdempotencyRecord | null): CreatedRecord {
  if (idempotency === null || job.idempotency?.fingerprint === idempotency.fingerprint)
    return toCreatedRecord(job);
  throw new VencError(
    'ConflictError',
    `The Idempotency-Key of this request was used before for a different request, which created job ${job.id}: use a new key for each request.`,
  );
}

function toCreatedRecord(job: Job): CreatedRecord {
  return {
    id: String(job.id),
    outputs: job.outputs.map(({ id, label, url }) => ({ id, label, url })),
    ...(job.test ? { test: true } : {}),
    ...(job.warnings === undefined ? {} : { warnings: job.warnings }),
  };
}

function mockRecord(
  outputs: readonly ResolvedOutput[],
  isTest: boolean,
  warnings: readonly ReportedWarning[],
): CreatedRecord {
  return {
    id: null,
    outputs: outputs.map(({ settings }) => ({ id: null, label: settings.label ?? null, url: null })),
    ...(isTest ? { test: true } : {}),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

/**
 * Runs a job again (section 4.4). A current run of the job is stopped first; finished outputs are kept. Rejects with
 * `ConflictError` for a finished job and for one whose upload has expired, `ResubmitLimitError` beyond the limit.
 */
export async function resubmitJob(
  appContext: Pick<AppContext, 'store' | 'queue' | 'uploads' | 'checkHealth' | 'now' | 'log'>,
  accountId: string,
  id: number,
): Promise<void> {
  await requireUploads(appContext, await findJob(appContext, accountId, id));
  await requireHealthy(appContext);
  const job = await appContext.store.update(id, (stored) =>
    apply(stored, { type: 'resubmitted' }, appContext.now()),
  );
  appContext.log('info', `Job ${id} is resubmitted.`, { jobId: id });
  await appContext.queue.stop(id, 'resubmitted');
  await appContext.queue.enqueue(job);
}

/** Rejects with `ConflictError` if an upload that a job reads is gone: the job would fail again. */
async function requireUploads({ uploads }: Pick<AppContext, 'uploads'>, job: Job): Promise<void> {
  for (const url of readUrlsOf(job).filter((source) => /^upload:/i.test(source))) {
    const ref = parseFileRefUrl(url);
    if (ref === null || (await uploads.find(ref)).state === 'there') continue;
    throw new VencError(
      'ConflictError',
      `Job ${job.id} cannot run again: its upload ${ref.name} is gone. Uploads are kept until 24 hours after the end of the last job that names them.`,
      { hint: 'Upload the file again, and create a new job.' },
    );
  }
}
