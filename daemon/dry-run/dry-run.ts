import { invalidRequest, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { defaultMaxOutputs } from '../../src/shared/settings/limits.js';
import { type JobRequestParseResult, parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import { checkRequest, type ResolvedOutput } from '../actions/check-request.js';
import { missingFfmpegMessage } from '../app/health.js';
import { type Ffmpeg, openFfmpeg } from '../ffmpeg/index.js';
import type { JobFailure } from '../jobs/job-failure.js';
import { findFrameAtStart } from '../pipeline/find-frame-at-start.js';
import { plan } from '../plan/plan.js';
import type { OutputToPlan } from '../plan/plan-types.js';
import { createFileTransport } from '../transports/file/file-transport.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { registerTransports } from '../transports/registry.js';
import { offlineTransports } from './check-urls.js';
import { type DryRunStep, describeSteps } from './describe-steps.js';
import { createWatermarkInspector } from './inspect-watermarks.js';

/** Folder that stands in printed lines for the one that a run works in: the one that they are run in. */
const scratch = '.';

/** How the lines that encode are found out. */
export interface DryRunOptions {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  /** The file of each output, in their order; null for one that is delivered elsewhere. */
  readonly files: readonly (string | null)[];
}

/** One output of a request, and what becomes of it. */
export interface DryRunOutput {
  /** Place in the request, from 1. */
  readonly number: number;
  readonly label: string | null;
  /** Where a run delivers it, without password. */
  readonly url: string;
  /** The file that the lines leave; null where it cannot be made. */
  readonly path: string | null;
  /** Why it cannot be made of this input; null where it can. */
  readonly fault: JobFailure | null;
}

/** What encoding a request comes down to. */
export interface DryRun {
  /** Path of the ffmpeg that would run. */
  readonly program: string;
  readonly outputs: readonly DryRunOutput[];
  readonly steps: readonly DryRunStep[];
  /** What was assumed, one sentence each. */
  readonly remarks: readonly string[];
}

/**
 * The runs of ffmpeg that a request with a local input comes down to in this process (`venc plan`). Only looks at files, with ffprobe:
 * writes none, encodes nothing, asks no other machine. The input and local watermarks bear their own paths, all else that the lines
 * read and write lies in `./`, but for outputs with files of their own. Rejects with `InvalidRequestError` where the request is refused, with what the job would
 * fail with where the input cannot be read, and with `UnavailableError` without any ffmpeg.
 */
export async function dryRun(
  request: unknown,
  { ffmpeg: ffmpegPath, ffprobe, files: namedFiles }: DryRunOptions,
): Promise<DryRun> {
  const { ffmpeg } = await openFfmpeg({ ffmpeg: ffmpegPath, ffprobe });
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
  const { input, isTest, outputs: resolved } = await checkDryRunRequest(request, ffmpeg);
  const media = await ffmpeg.probe(input);
  const watermarks = createWatermarkInspector(ffmpeg, scratch);
  const failures = new Map<number, JobFailure>();
  const pendingOutputs: OutputToPlan[] = [];
  for (const [index, { settings, outputDestination }] of resolved.entries()) {
    const id = index + 1;
    const found = await watermarks.find((settings.watermark ?? []).map(({ url }) => url));
    const filename = fileNameInUrl(outputDestination.destination);
    if ('fault' in found) failures.set(id, found.fault);
    else {
      const startFrame = await findFrameAtStart(ffmpeg, { path: input, media }, settings);
      pendingOutputs.push({
        id,
        settings,
        filename,
        isTest,
        watermarks: found.pictures,
        frameAtStart: startFrame,
      });
    }
  }
  const files = new Map(
    namedFiles.flatMap((file, index) => (file === null ? [] : [[index + 1, file] as const])),
  );
  const jobPlan = plan(pendingOutputs, media, { input, scratch, files }, ffmpeg.capabilities);
  const { steps, warnings: remarks } = describeSteps(jobPlan, pendingOutputs, ffmpeg.capabilities);
  for (const { outputId, failure: fault } of jobPlan.rejections) failures.set(outputId, fault);
  return {
    program: ffmpeg.ffmpeg.path,
    outputs: resolved.map(({ settings, outputDestination }, index) => ({
      number: index + 1,
      label: settings.label ?? null,
      url: withoutPassword(outputDestination.url),
      path: jobPlan.products.find(({ outputId }) => outputId === index + 1)?.path ?? null,
      fault: failures.get(index + 1) ?? null,
    })),
    steps,
    remarks: [...watermarks.warnings(), ...remarks],
  };
}

/** A request that nothing is wrong with, its input as a path. */
interface CheckedDryRun {
  readonly input: string;
  readonly isTest: boolean;
  readonly outputs: readonly ResolvedOutput[];
}

/** Checks a request as creating a job does. Rejects with every complaint at once. */
async function checkDryRunRequest(body: unknown, ffmpeg: Ffmpeg): Promise<CheckedDryRun> {
  const parsed = parseJobRequest(body, { maxOutputs: defaultMaxOutputs });
  const transports = registerTransports([...offlineTransports, createFileTransport('anywhere')]);
  const context = { account: { id: 'default' }, baseUrl: 'http://localhost' };
  const parts = validPartsOf(parsed);
  const { outputs, validationErrors } = await checkRequest(
    { transports, ffmpeg, randomToken },
    context,
    parts,
  );
  const local = parseFileUrl(parts.input ?? '');
  const all = [...(parsed.ok ? [] : parsed.validationErrors), ...validationErrors];
  if (all.length > 0) throw invalidRequest(all);
  if (!local.ok) {
    throw new VencError('UsageError', 'plan looks at local files alone, and the input is elsewhere.', {
      hint: 'download it first: what is in the file decides how it is encoded',
    });
  }
  return { input: local.path, isTest: parsed.ok && (parsed.request.test ?? false), outputs };
}

function validPartsOf(parsed: JobRequestParseResult) {
  return parsed.ok ? parsed.request : { ...parsed.validParts.job, outputs: parsed.validParts.outputs };
}
