import { invalidRequest } from '../../src/api/errors.js';
import type { CreatedRecord } from '../../src/api/records.js';
import type { JobRequest, OutputSettings } from '../../src/api/settings/index.js';
import { readJobRequest } from '../../src/api/settings/read.js';
import { draftJob, type Placement } from '../jobs/draft.js';
import type { Job } from '../jobs/job.js';
import { checkCombination } from '../plan/combination.js';
import { declinedComplaints } from '../plan/honoured.js';
import type { Abilities } from '../plan/plan-types.js';
import type { Account } from '../store/account-store.js';
import { schemeOf } from '../transports/registry.js';
import { givenFilename, placeOutput } from './place-output.js';
import { refuseWhenTroubled } from './refuse-when-troubled.js';
import type { Workshop } from './workshop.js';

/** Who asks for a job, and under which address. */
export interface CreateContext {
  readonly account: Account;
  /** Address of this daemon as the client knows it, without a slash at its end. */
  readonly baseUrl: string;
}

interface PlacedOutput {
  readonly settings: OutputSettings;
  readonly placement: Placement;
}

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
  if (!reading.ok) throw invalidRequest(reading.complaints);
  const { request } = reading;
  const { outputs, complaints } = await placedOutputs(workshop, context, request);
  const all = [
    ...(await inputComplaints(workshop, context, request.input)),
    ...declinedComplaints(request),
    ...complaints,
  ];
  if (all.length > 0) throw invalidRequest(all);
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
  return answer(job);
}

/** Each output with its place; complaints about combinations, schemes and places taken twice. */
async function placedOutputs(
  workshop: Workshop,
  context: CreateContext,
  request: JobRequest,
): Promise<{ readonly outputs: readonly PlacedOutput[]; readonly complaints: readonly string[] }> {
  const outputs: PlacedOutput[] = [];
  const complaints: string[] = [];
  const taken = new Set<string>();
  for (const [index, settings] of request.outputs.entries()) {
    const path = `outputs[${index}]`;
    const combination = checkCombination(settings, givenFilename(settings), abilitiesOf(workshop), path);
    if (!combination.ok) {
      complaints.push(...combination.complaints);
      continue;
    }
    const placement = placeOutput(settings, {
      extension: combination.extension,
      baseUrl: context.baseUrl,
      randomToken: workshop.randomToken,
    });
    complaints.push(...(await destinationComplaints(workshop, context, settings, placement, path)));
    if (taken.has(placement.destination))
      complaints.push(`${path} goes to the same place as another output of this job`);
    taken.add(placement.destination);
    outputs.push({ settings, placement });
  }
  return { outputs, complaints };
}

async function inputComplaints(
  workshop: Workshop,
  context: CreateContext,
  url: string,
): Promise<readonly string[]> {
  const transport = workshop.transports.get(schemeOf(url) ?? '');
  if (transport?.download === undefined) return [`input ${unknownScheme(workshop, url, 'download')}`];
  const complaint = await transport.checkInput?.(url, context.account.id);
  return complaint ? [`input ${complaint}`] : [];
}

async function destinationComplaints(
  workshop: Workshop,
  context: CreateContext,
  settings: OutputSettings,
  placement: Placement,
  path: string,
): Promise<readonly string[]> {
  const field =
    settings.url !== undefined ? 'url' : settings.base_url !== undefined ? 'base_url' : 'filename';
  const transport = workshop.transports.get(schemeOf(placement.destination) ?? '');
  const isInternal = field !== 'filename' && schemeOf(placement.destination) === 'hosted';
  if (transport?.upload === undefined || isInternal) {
    return [`${path}.${field} ${unknownScheme(workshop, placement.destination, 'upload')}`];
  }
  const complaint = await transport.checkOutput?.(placement.destination, context.account.id);
  return complaint ? [`${path}.${field} ${complaint}`] : [];
}

function unknownScheme(workshop: Workshop, url: string, way: 'download' | 'upload'): string {
  const known = [...workshop.transports]
    .filter(([scheme, transport]) => transport[way] !== undefined && scheme !== 'hosted')
    .map(([scheme]) => scheme);
  return `has the scheme "${schemeOf(url) ?? ''}", which this daemon does not take here: it takes ${known.join(', ')}`;
}

function abilitiesOf(workshop: Workshop): Abilities {
  // refuseWhenTroubled has turned the request away where there is no ffmpeg.
  if (workshop.ffmpeg === null) throw new TypeError('a job cannot be checked without an ffmpeg');
  return workshop.ffmpeg.abilities;
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
