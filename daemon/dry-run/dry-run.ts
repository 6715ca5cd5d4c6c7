import { invalidRequest, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { defaultMaxOutputs } from '../../src/shared/settings/limits.js';
import { type JobRequestReading, readJobRequest } from '../../src/shared/settings/read.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { checkRequest, type PlacedOutput } from '../actions/check-request.js';
import { missingFfmpeg } from '../app/health.js';
import { type Ffmpeg, openFfmpeg } from '../ffmpeg/index.js';
import type { Fault } from '../jobs/job-failure.js';
import { frameAtStart } from '../pipeline/frame-at-start.js';
import { plan } from '../plan/plan.js';
import type { OutputToPlan } from '../plan/plan-types.js';
import { createFileTransport } from '../transports/file/file-transport.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { registerTransports } from '../transports/registry.js';
import { unreachedTransports } from './check-urls.js';
import { type StepOfPlan, stepsOfPlan } from './describe-steps.js';
import { watermarkFinder } from './inspect-watermarks.js';

/** Folder that stands in printed lines for the one that a run works in: the one that they are run in. */
const scratch = '.';

/** How the lines that encode are found out. */
export interface PlanOnceOptions {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  /** The file of each output, in their order; null for one that is delivered elsewhere. */
  readonly files: readonly (string | null)[];
}

/** One output of a request, and what becomes of it. */
export interface OutputOfPlan {
  /** Place in the request, from 1. */
  readonly number: number;
  readonly label: string | null;
  /** Where a run delivers it, without password. */
  readonly url: string;
  /** The file that the lines leave; null where it cannot be made. */
  readonly path: string | null;
  /** Why it cannot be made of this input; null where it can. */
  readonly fault: Fault | null;
}

/** What encoding a request comes down to. */
export interface PlanOfRequest {
  /** Path of the ffmpeg that would run. */
  readonly program: string;
  readonly outputs: readonly OutputOfPlan[];
  readonly steps: readonly StepOfPlan[];
  /** What was assumed, one sentence each. */
  readonly remarks: readonly string[];
}

/**
 * The runs of ffmpeg that a request with a local input comes down to in this process (`venc plan`). Only looks at files, with ffprobe:
 * writes none, encodes nothing, asks no other machine. The input and local watermarks bear their own paths, all else that the lines
 * read and write lies in `./`, but for outputs with files of their own. Rejects with `InvalidRequestError` where the request is refused, with what the job would
 * fail with where the input cannot be read, and with `UnavailableError` without any ffmpeg.
 */
export async function planOnce(
  request: unknown,
  { ffmpeg: given, ffprobe, files: named }: PlanOnceOptions,
): Promise<PlanOfRequest> {
  const { ffmpeg } = await openFfmpeg({ ffmpeg: given, ffprobe });
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpeg);
  const { input, isTest, outputs: placed } = await checked(request, ffmpeg);
  const media = await ffmpeg.probe(input);
  const watermarks = watermarkFinder(ffmpeg, scratch);
  const faults = new Map<number, Fault>();
  const open: OutputToPlan[] = [];
  for (const [index, { settings, placement }] of placed.entries()) {
    const id = index + 1;
    const found = await watermarks.find((settings.watermark ?? []).map(({ url }) => url));
    const filename = fileNameInUrl(placement.destination);
    if ('fault' in found) faults.set(id, found.fault);
    else {
      const atStart = await frameAtStart(ffmpeg, { path: input, media }, settings);
      open.push({ id, settings, filename, isTest, watermarks: found.pictures, frameAtStart: atStart });
    }
  }
  const files = new Map(named.flatMap((file, index) => (file === null ? [] : [[index + 1, file] as const])));
  const made = plan(open, media, { input, scratch, files }, ffmpeg.capabilities);
  const { steps, remarks } = stepsOfPlan(made, open, ffmpeg.capabilities);
  for (const { outputId, failure: fault } of made.rejections) faults.set(outputId, fault);
  return {
    program: ffmpeg.ffmpeg.path,
    outputs: placed.map(({ settings, placement }, index) => ({
      number: index + 1,
      label: settings.label ?? null,
      url: withoutPassword(placement.url),
      path: made.products.find(({ outputId }) => outputId === index + 1)?.path ?? null,
      fault: faults.get(index + 1) ?? null,
    })),
    steps,
    remarks: [...watermarks.remarks(), ...remarks],
  };
}

/** A request that nothing is wrong with, its input as a path. */
interface CheckedPlan {
  readonly input: string;
  readonly isTest: boolean;
  readonly outputs: readonly PlacedOutput[];
}

/** Checks a request as creating a job does. Rejects with every complaint at once. */
async function checked(body: unknown, ffmpeg: Ffmpeg): Promise<CheckedPlan> {
  const reading = readJobRequest(body, { maxOutputs: defaultMaxOutputs });
  const transports = registerTransports([...unreachedTransports, createFileTransport('anywhere')]);
  const context = { account: { id: 'default' }, baseUrl: 'http://localhost' };
  const parts = partsOf(reading);
  const { outputs, complaints } = await checkRequest({ transports, ffmpeg, randomToken }, context, parts);
  const local = parseFileUrl(parts.input ?? '');
  const all = [...(reading.ok ? [] : reading.complaints), ...complaints];
  if (all.length > 0) throw invalidRequest(all);
  if (!local.ok) {
    throw new VencError('UsageError', 'plan looks at local files alone, and the input is elsewhere.', {
      hint: 'download it first: what is in the file decides how it is encoded',
    });
  }
  return { input: local.path, isTest: reading.ok && (reading.request.test ?? false), outputs };
}

function partsOf(reading: JobRequestReading) {
  return reading.ok ? reading.request : { ...reading.soundParts.job, outputs: reading.soundParts.outputs };
}
