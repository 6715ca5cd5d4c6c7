import { invalidRequest, VencError } from '../../src/shared/errors.js';
import { withoutPassword } from '../../src/shared/redact.js';
import { isCaptions } from '../../src/shared/settings/captions.js';
import { defaultMaxOutputs } from '../../src/shared/settings/limits.js';
import { parseJobRequest } from '../../src/shared/settings/parse-job-request.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { toReportedWarnings } from '../../src/shared/settings/report-warnings.js';
import type { ReportedWarning } from '../../src/shared/settings/request-warning.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { toReportedErrors } from '../../src/shared/settings/sent-paths.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { randomToken } from '../../src/shared/util/random-token.js';
import type { ResolvedOutput } from '../actions/check-output.js';
import { checkRequest, validPartsOf } from '../actions/check-request.js';
import { missingFfmpegMessage } from '../app/health.js';
import { type Ffmpeg, openFfmpeg, type SandboxMode } from '../ffmpeg/index.js';
import type { JobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import { noSavedCredentials } from '../jobs/saved-credentials.js';
import { findFrameAtStart, withProvenFrameRate } from '../pipeline/plan-job.js';
import { isFragmentedFile, segmentedTracks, segmentGridsOf, segmentNames } from '../plan/decide/packaging.js';
import { plan } from '../plan/plan.js';
import type { OutputToPlan, Plan } from '../plan/plan-types.js';
import { expectedMedia } from '../plan/product.js';
import { type HostKind, parseRemoteUrl } from '../transfer/remote-url.js';
import { createFileTransport } from '../transports/file/file-transport.js';
import { parseFileUrl } from '../transports/file/file-url.js';
import { parseHttpUrl } from '../transports/http/http-url.js';
import { registerTransports } from '../transports/registry.js';
import type { Transport } from '../transports/transport.js';
import { assumedCaptions, captionNotes } from './assume-captions.js';
import { type DryRunStep, describeSteps } from './describe-steps.js';
import { createWatermarkInspector } from './inspect-watermarks.js';
import { encodedSourceOf, planWithSources } from './plan-with-sources.js';
import { skippedOutputs } from './skipped-outputs.js';

/** The facts of an input that is only transferred, which are not needed. */
const noMedia: MediaFacts = {
  format: '',
  durationSeconds: null,
  totalBitrateKbps: null,
  video: null,
  audio: null,
};

/** The scratch folder in the shown command lines: the current folder. */
const scratch = '.';

/** The options of a dry run. */
interface DryRunOptions {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  readonly sandbox?: SandboxMode;
  /** The local file of each output, in order; null for an output that is delivered elsewhere. */
  readonly files: readonly (string | null)[];
}

/** One output of a request, as planned. */
interface DryRunOutput {
  /** Position in the request, from 1. */
  readonly number: number;
  readonly label: string | null;
  /** The delivery URL, without password. */
  readonly url: string;
  /** The file that the command lines write, or that is only transferred; null if the output cannot be made. */
  readonly path: string | null;
  /** The number of the output that it is made from (`source`); null if that is the input. */
  readonly source: number | null;
  /** The file of which the output is a copy; null if it is encoded, or uploaded from its source. */
  readonly copyOf: string | null;
  /** Why the output cannot be made from this input; null if it can. */
  readonly failure: JobFailure | null;
  /** Why the output is skipped for this input, as a sentence; null if it is not. */
  readonly skipped: string | null;
}

/** The plan of a request. */
interface DryRun {
  /** Path of the ffmpeg that a run would use. */
  readonly program: string;
  readonly outputs: readonly DryRunOutput[];
  readonly steps: readonly DryRunStep[];
  /** The assumptions and what was corrected for the input, one sentence each. */
  readonly warnings: readonly string[];
  /** Warnings about the request, as the response to a create has them. */
  readonly requestWarnings: readonly ReportedWarning[];
}

/**
 * Plans the ffmpeg runs of a request with a local input (`venc plan`). Only reads files, with ffprobe: writes
 * none, encodes nothing, contacts no other machine. The input and local watermarks keep their own paths; all
 * other files are in `./`, except outputs with files of their own. Rejects with `InvalidRequestError` if the
 * request is invalid, with the error that the job would fail with if the input cannot be read, and with
 * `UnavailableError` if there is no ffmpeg.
 */
export async function dryRun(
  request: unknown,
  { ffmpeg: ffmpegPath, ffprobe, sandbox = 'auto', files: namedFiles }: DryRunOptions,
): Promise<DryRun> {
  const { ffmpeg } = await openFfmpeg({ ffmpeg: ffmpegPath, ffprobe, sandbox });
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
  const { input, isTest, outputs: resolved, requestWarnings } = await checkDryRunRequest(request, ffmpeg);
  const allSettings = resolved.map(({ settings }) => settings);
  const media = allSettings.some(isEncoded)
    ? await withProvenFrameRate(ffmpeg, { path: input, media: await ffmpeg.probe(input) }, allSettings)
    : noMedia;
  const watermarks = createWatermarkInspector(ffmpeg, scratch);
  const failures = new Map<number, JobFailure>();
  const skipped = skippedOutputs(resolved, media);
  const pendingOutputs: OutputToPlan[] = [];
  for (const [index, { settings, outputDestination }] of resolved.entries()) {
    const id = index + 1;
    if (!isEncoded(settings) || skipped.has(id)) continue;
    const found = await watermarks.find((settings.watermark ?? []).map(({ url }) => url));
    const filename = fileNameInUrl(outputDestination.destination);
    if ('failure' in found) failures.set(id, found.failure);
    else {
      const source = encodedSourceOf(settings, resolved);
      const startFrame =
        source === undefined ? await findFrameAtStart(ffmpeg, { path: input, media }, settings) : null;
      const { source: _, ...others } = settings;
      pendingOutputs.push({
        id,
        settings: source === undefined ? others : { ...others, source },
        filename,
        segmentGrids: segmentGridsOf(settings, allSettings),
        isTest,
        watermarks: found.images,
        captions: assumedCaptions(source === undefined ? media : noMedia, settings),
        frameAtStart: startFrame,
      });
    }
  }
  const files = new Map(
    namedFiles.flatMap((file, index) => {
      // The file that is named is a playlist, which ffmpeg does not write.
      const settings = resolved[index]?.settings ?? {};
      const isWritten = !isSegmented(settings) && !isPlaylist(settings);
      return file === null || !isWritten ? [] : [[index + 1, file] as const];
    }),
  );
  const jobPlan = planWithSources(pendingOutputs, (outputs, source) => {
    const from =
      source === null ? { path: input, media } : { path: source.path, media: expectedMedia(source) };
    return plan(outputs, from.media, { input: from.path, scratch, files }, ffmpeg.capabilities);
  });
  const { steps, warnings } = describeSteps(jobPlan, pendingOutputs, ffmpeg.capabilities);
  for (const { outputId, failure } of jobPlan.rejections) failures.set(outputId, failure);
  const dryRunOutputs = resolved.map(({ settings, outputDestination }, index): DryRunOutput => {
    const made = pathOf(jobPlan, index, resolved, input);
    const copy = isTransferOnly(settings) && made !== null ? files.get(index + 1) : undefined;
    const source = resolved.findIndex((other) => other.settings.label === settings.source);
    return {
      number: index + 1,
      label: settings.label ?? null,
      url: withoutPassword(outputDestination.url),
      path: skipped.has(index + 1) ? null : (copy ?? made),
      source: settings.source === undefined ? null : source + 1,
      copyOf: copy === undefined ? null : made,
      failure: failures.get(index + 1) ?? null,
      skipped: skipped.get(index + 1) ?? null,
    };
  });
  return {
    program: ffmpeg.ffmpeg.path,
    outputs: dryRunOutputs,
    steps: [...steps, ...copySteps(dryRunOutputs)],
    warnings: [
      ...watermarks.warnings(),
      ...captionNotes(jobPlan),
      ...warnings,
      ...playlistNotes(resolved, jobPlan),
    ],
    requestWarnings,
  };
}

/** Whether ffmpeg makes the file of an output. */
function isEncoded(settings: ResolvedOutput['settings']): boolean {
  return !isTransferOnly(settings) && !isPlaylist(settings) && !isCaptions(settings);
}

/** What happens to the outputs that are cut into segments, and to playlists, one sentence each. */
function playlistNotes(outputs: readonly ResolvedOutput[], { products }: Plan): readonly string[] {
  return outputs.flatMap(({ settings, outputDestination }, index) => {
    const name = fileNameInUrl(outputDestination.destination);
    if (isCaptions(settings)) return [`output ${index + 1} is the caption file ${name}, which venc writes`];
    if (isPlaylist(settings))
      return [`output ${index + 1} is the playlist ${name}, written when its outputs are delivered`];
    const product = products.find(({ outputId }) => outputId === index + 1);
    if (product?.packaging === undefined) return [];
    const { packaging, video, audio } = product;
    if (isFragmentedFile(packaging))
      return [`output ${index + 1} is written again as fragmented MP4: ${name}`];
    const tracks = segmentedTracks(packaging, { hasVideo: video !== null, hasAudio: audio !== null });
    const files = tracks.map((track) => segmentNames(packaging, track).segment(0)).join(' and ');
    const more = packaging.hasByteRanges ? '' : ' and so on';
    return [
      `output ${index + 1} is cut into segments of ${packaging.segmentSeconds} s: ${files}${more}, with the playlist ${name}`,
    ];
  });
}

function copySteps(outputs: readonly DryRunOutput[]): readonly DryRunStep[] {
  return outputs.flatMap(({ number, path, copyOf }) =>
    path === null || copyOf === null
      ? []
      : [{ outputs: [number], does: 'copy', args: [copyOf, path], share: null }],
  );
}

/** The file of an output: that of its source if it is only transferred. Null if it cannot be made. */
function pathOf(
  jobPlan: Plan,
  index: number,
  outputs: readonly ResolvedOutput[],
  input: string,
): string | null {
  const settings = outputs[index]?.settings ?? {};
  if (!isTransferOnly(settings))
    return jobPlan.products.find(({ outputId }) => outputId === index + 1)?.path ?? null;
  if (settings.source === undefined) return input;
  const source = outputs.findIndex((output) => output.settings.label === settings.source);
  return pathOf(jobPlan, source, outputs, input);
}

/** A valid request, with its input as a path. */
interface CheckedDryRun {
  readonly input: string;
  readonly isTest: boolean;
  readonly outputs: readonly ResolvedOutput[];
  readonly requestWarnings: readonly ReportedWarning[];
}

/** Checks a request as `createJob` does. Rejects with every validation error at once. */
async function checkDryRunRequest(body: unknown, ffmpeg: Ffmpeg): Promise<CheckedDryRun> {
  const parsed = parseJobRequest(body, { maxOutputs: defaultMaxOutputs });
  const transports = registerTransports([...offlineTransports, createFileTransport('anywhere')]);
  const context = { account: { id: 'default' }, baseUrl: 'http://localhost' };
  const parts = validPartsOf(parsed);
  const { outputs, validationErrors, warnings } = await checkRequest(
    { transports, savedCredentials: noSavedCredentials, ffmpeg, sendsMail: false, randomToken },
    context,
    parts,
  );
  const local = parseFileUrl(parts.input ?? '');
  const all = toReportedErrors(parsed.ok ? [] : parsed.validationErrors, validationErrors, body);
  if (all.length > 0) throw invalidRequest(all);
  if (!local.ok) {
    throw new VencError('UsageError', 'plan needs a local input file, and the input is a remote URL.', {
      hint: 'download it first: the content of the file decides how it is encoded',
    });
  }
  return {
    input: local.path,
    isTest: parsed.ok && (parsed.request.test ?? false),
    outputs,
    requestWarnings: toReportedWarnings([...parsed.warnings, ...warnings], body),
  };
}

/** Returns why a URL cannot be used; null if it can. */
type Check = NonNullable<Transport['checkInput']>;

const rejectTransfer = () => Promise.reject(new TypeError('a dry run transfers nothing'));

const checkHttp: Check = async (url) => {
  const parsed = parseHttpUrl(url);
  return parsed.ok ? null : parsed.validationError;
};

const checkRemote =
  (kind: HostKind): Check =>
  async (url) => {
    const parsed = parseRemoteUrl(url, kind);
    return parsed.ok ? null : parsed.validationError;
  };

const bidirectional = (schemes: readonly string[], check: Check): Transport => ({
  schemes,
  checkInput: check,
  checkOutput: check,
  download: rejectTransfer,
  upload: rejectTransfer,
});

/**
 * The network schemes for a dry run. They only validate the form of URLs; the modules that transfer files are
 * not loaded.
 */
const offlineTransports: readonly Transport[] = [
  { schemes: ['http', 'https'], checkInput: checkHttp, download: rejectTransfer },
  { schemes: ['fasp'], checkInput: checkRemote('host'), download: rejectTransfer },
  bidirectional(['ftp', 'ftps', 'sftp'], checkRemote('host')),
  bidirectional(['s3', 'gcs', 'cf'], checkRemote('bucket')),
];
