import { invalidRequest } from '../../src/api/errors.js';
import type { CreatedRecord } from '../../src/api/records.js';
import { readJobRequest } from '../../src/api/settings/read.js';
import { draftJob } from '../jobs/draft.js';
import type { Job } from '../jobs/job.js';
import { type CreateContext, checkRequest, type PlacedOutput } from './check-request.js';
import { refuseWhenTroubled } from './refuse-when-troubled.js';
import type { Workshop } from './workshop.js';

/**
 * Creates a job (section 4.1): reads the request, checks it against everything that can be known without the input, keeps and
 * queues it. Rejects with `InvalidRequestError` and every complaint at once; nothing is kept then.
 */
export async function createJob(
  workshop: Workshop,
  context: CreateContext,
  body: unknown,
): Promise<CreatedRecord> {
  await refuseWhenTroubled(workshop);
  const reading = readJobRequest(body, { maxOutputs: workshop.maxOutputs });
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
  });
  const job = await workshop.store.create(draft);
  await workshop.queue.enqueue(job.id);
  workshop.log('info', `Job ${job.id} is accepted.`);
  return answer(job);
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
