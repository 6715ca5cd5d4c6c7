import { createHash } from 'node:crypto';
import { invalidRequest, VencError } from '../../src/shared/errors.js';
import type { CreatedRecord } from '../../src/shared/records.js';
import { type JobRequestReading, readJobRequest } from '../../src/shared/settings/read.js';
import { draftJob } from '../jobs/draft.js';
import type { CreatedOnce, Job } from '../jobs/job.js';
import { onceLifeMs } from '../store/job-store.js';
import type { Workshop } from './app-context.js';
import { type CreateContext, checkRequest, type PlacedOutput } from './check-request.js';
import { refuseWhenTroubled } from './reject-when-unhealthy.js';

/** The longest `Idempotency-Key` that is taken, in characters. */
const maxKeyLength = 255;

/**
 * Creates a job (section 4.1): reads the request, checks it against everything that can be known without the input, keeps and
 * queues it. Rejects with `InvalidRequestError` and every complaint at once; nothing is kept then. A create with the idempotency key of an
 * earlier one gives that one's job, whatever state it is in, or rejects with `ConflictError` where the request is another.
 */
export async function createJob(
  workshop: Workshop,
  context: CreateContext,
  body: unknown,
): Promise<CreatedRecord> {
  const reading = readJobRequest(body, { maxOutputs: workshop.maxOutputs });
  const once = onceOf(context, reading);
  const earlier = once === null ? null : await findEarlier(workshop, context, once);
  if (earlier !== null) return answerOnce(earlier, once);
  await refuseWhenTroubled(workshop);
  if (reading.unknownFields.length > 0) {
    workshop.log('warn', `a request had fields that nobody knows: ${reading.unknownFields.join(', ')}`);
  }
  const parts = reading.ok
    ? reading.request
    : { ...reading.soundParts.job, outputs: reading.soundParts.outputs };
  const { outputs, complaints } = await checkRequest(workshop, context, parts);
  if (!reading.ok) throw invalidRequest([...reading.complaints, ...complaints]);
  if (complaints.length > 0) throw invalidRequest(complaints);
  const { request } = reading;
  const isTest = (request.test ?? false) || context.account.isIntegration;
  if (request.mock ?? false) return mockAnswer(outputs, isTest);
  const draft = draftJob({
    accountId: context.account.id,
    request,
    test: isTest,
    outputs,
    now: workshop.now(),
    once,
  });
  const job = await workshop.store.create(draft);
  // Of two at once with one key, the other may have come first: its job is queued once more, which changes nothing.
  const record = answerOnce(job, once);
  await workshop.queue.enqueue(job.id);
  workshop.log('info', `Job ${job.id} is accepted.`);
  return record;
}

/** What the job is to be kept under; null without a key, for a mock and for a request that is refused anyway. */
function onceOf(
  { idempotencyKey: key = null }: CreateContext,
  reading: JobRequestReading,
): CreatedOnce | null {
  if (key === null) return null;
  if (key === '' || key.length > maxKeyLength) {
    throw invalidRequest([`the header Idempotency-Key must have 1 to ${maxKeyLength} characters`]);
  }
  if (!reading.ok || reading.request.mock === true) return null;
  // The request as it was read: the same job said in another order, spelling or format is the same request.
  const fingerprint = createHash('sha256').update(JSON.stringify(reading.request)).digest('base64url');
  return { key, fingerprint };
}

function findEarlier(
  workshop: Workshop,
  { account }: CreateContext,
  { key }: CreatedOnce,
): Promise<Job | null> {
  const since = new Date(workshop.now().getTime() - onceLifeMs);
  return workshop.store.findOnce(account.id, key, since);
}

function answerOnce(job: Job, once: CreatedOnce | null): CreatedRecord {
  if (once === null || job.once?.fingerprint === once.fingerprint) return answer(job);
  throw new VencError(
    'ConflictError',
    `The Idempotency-Key of this request was used for another one, which made job ${job.id}: use a new key for another request.`,
  );
}

function answer(job: Job): CreatedRecord {
  return {
    id: String(job.id),
    outputs: job.outputs.map(({ id, label, url }) => ({ id, label, url })),
    ...(job.test ? { test: true } : {}),
  };
}

function mockAnswer(outputs: readonly PlacedOutput[], isTest: boolean): CreatedRecord {
  return {
    id: null,
    outputs: outputs.map(({ settings }) => ({ id: null, label: settings.label ?? null, url: null })),
    ...(isTest ? { test: true } : {}),
  };
}
