import { withoutPassword } from '../../src/shared/redact.js';
import { isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isPlaylist } from '../../src/shared/settings/playlists.js';
import { isSegmented } from '../../src/shared/settings/segments.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import type { ResolvedOutput } from '../actions/check-outputs.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import { type JobFailure, toJobFailure } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import { exclusionReason, skippedBecause } from '../jobs/skip-rules.js';
import { leftOutRecords, originNumbers } from '../jobs/tracks.js';
import { findCopyStart, findFrameAtStart, withFrameFacts } from '../pipeline/plan-job.js';
import { isFragmentedFile, segmentedTracks, segmentGridsOf, segmentNames } from '../plan/decide/packaging.js';
import { plan } from '../plan/plan.js';
import type { OutputToPlan, Plan, Product } from '../plan/plan-types.js';
import { expectedMedia } from '../plan/product.js';
import { assumedCaptions, assumedCovers, fileNotes } from './assumed-files.js';
import { type DryRunStep, describeSteps } from './describe-steps.js';
import { createWatermarkInspector } from './inspect-watermarks.js';

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

/** One output of a request, as planned. */
export interface DryRunOutput {
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
  /** The numbers of the tracks of its source that it has. */
  readonly tracks: readonly number[];
  /** The size of its video; null if it has none or is not encoded. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** The tracks of its source that it lacks, and why. */
  readonly left_out: ReturnType<typeof leftOutRecords>;
  /** Why the output cannot be made from this input; null if it can. */
  readonly failure: JobFailure | null;
  /** Why the output is skipped for this input, as a sentence; null if it is not. */
  readonly skipped: string | null;
}

/** Outputs to plan, and the file that they are made from. */
interface OutputsToPlan {
  /** The path of the file. */
  readonly input: string;
  readonly isTest: boolean;
  readonly outputs: readonly ResolvedOutput[];
  /** The local file of each output, in order; null or absent for an output that is delivered elsewhere. */
  readonly files: readonly (string | null)[];
  /** Whether watermarks that are files are read. Otherwise all are assumed. */
  readonly readsImages: boolean;
  readonly signal?: AbortSignal;
}

/** Outputs as they were planned. */
export interface PlannedOutputs {
  readonly media: MediaFacts;
  readonly outputs: readonly DryRunOutput[];
  /** What is known of the files that are encoded. */
  readonly products: readonly Product[];
  readonly steps: readonly DryRunStep[];
  /** The assumptions and what was corrected for the input, one sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Plans outputs from a file, which is only read. All other files are in `./`, except outputs with files of their own.
 * Rejects with the error that the job would fail with if the input cannot be read, and with the reason of the signal.
 */
export async function planOutputs(
  ffmpeg: Ffmpeg,
  { input, isTest, outputs: resolved, files: namedFiles, readsImages, signal }: OutputsToPlan,
): Promise<PlannedOutputs> {
  const allSettings = resolved.map(({ settings }) => settings);
  const unprepared = resolved.map(({ settings, outputDestination: { destination } }, index) => ({
    ...{ id: index + 1, settings, filename: fileNameInUrl(destination), isTest },
  }));
  const media = unprepared.some(({ settings }) => isEncoded(settings))
    ? await withFrameFacts(
        ffmpeg,
        { path: input, media: await ffmpeg.probe(input, signal) },
        unprepared,
        signal,
      )
    : noMedia;
  const watermarks = createWatermarkInspector(readsImages ? ffmpeg : null, scratch);
  const failures = new Map<number, JobFailure>();
  const programs = new Map<string | undefined, MediaFacts>([[undefined, media]]);
  for (const [index, { settings }] of resolved.entries()) {
    const { program } = settings;
    if (!isEncoded(settings) || settings.source !== undefined || programs.has(program)) continue;
    try {
      const found = await ffmpeg.probe(input, signal, program);
      programs.set(program, await withFrameFacts(ffmpeg, { path: input, media: found }, unprepared, signal));
    } catch (error) {
      failures.set(index + 1, toJobFailure(error, 'UnsupportedInputError'));
    }
  }
  const mediaOf = ({ program, source }: OutputSettings) =>
    programs.get(source === undefined ? program : undefined) ?? noMedia;
  const skipped = skippedOutputs(resolved, mediaOf);
  const pendingOutputs: OutputToPlan[] = [];
  for (const [index, { settings, outputDestination }] of resolved.entries()) {
    const id = index + 1;
    if (!isEncoded(settings) || skipped.has(id) || failures.has(id)) continue;
    const found = await watermarks.find((settings.watermark ?? []).map(({ url }) => url));
    const filename = fileNameInUrl(outputDestination.destination);
    if ('failure' in found) failures.set(id, found.failure);
    else {
      const source = encodedSourceOf(settings, resolved);
      const startFrame =
        source === undefined
          ? await findFrameAtStart(ffmpeg, { path: input, media: mediaOf(settings) }, settings, signal)
          : null;
      const copyStart =
        source === undefined
          ? await findCopyStart(ffmpeg, { path: input, media: mediaOf(settings) }, unprepared[index], signal)
          : null;
      const { source: _, ...others } = settings;
      pendingOutputs.push({
        id,
        settings: source === undefined ? others : { ...others, source },
        filename,
        segmentGrids: segmentGridsOf(settings, allSettings),
        isTest,
        watermarks: found.images,
        captions: assumedCaptions(source === undefined ? mediaOf(settings) : noMedia, settings),
        covers: assumedCovers(source === undefined ? mediaOf(settings) : noMedia, settings),
        frameAtStart: startFrame,
        copyStart,
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
    const planFrom = (some: readonly OutputToPlan[], facts: MediaFacts, path: string) =>
      plan(some, facts, { input: path, scratch, files }, ffmpeg.capabilities);
    if (source !== null) return planFrom(outputs, expectedMedia(source), source.path);
    return mergePlans(
      [...programs].map(([program, facts]) =>
        planFrom(
          outputs.filter(({ settings }) => settings.program === program),
          facts,
          input,
        ),
      ),
    );
  });
  const { steps, warnings } = describeSteps(jobPlan, pendingOutputs, ffmpeg.capabilities);
  for (const { outputId, failure } of jobPlan.rejections) failures.set(outputId, failure);
  const dryRunOutputs = resolved.map(({ settings, outputDestination }, index): DryRunOutput => {
    const made = pathOf(jobPlan, index, resolved, input);
    const copy = isTransferOnly(settings) && made !== null ? files.get(index + 1) : undefined;
    const source = resolved.findIndex((other) => other.settings.label === settings.source);
    const { origins, video = null } = jobPlan.products.find(({ outputId }) => outputId === index + 1) ?? {};
    return {
      number: index + 1,
      label: settings.label ?? null,
      url: withoutPassword(outputDestination.url),
      path: skipped.has(index + 1) ? null : (copy ?? made),
      source: settings.source === undefined ? null : source + 1,
      copyOf: copy === undefined ? null : made,
      size: video === null ? null : { width: video.width, height: video.height },
      tracks: origins === undefined ? [] : originNumbers(origins),
      left_out: origins === undefined ? [] : leftOutRecords(origins),
      failure: failures.get(index + 1) ?? null,
      skipped: skipped.get(index + 1) ?? null,
    };
  });
  return {
    media,
    products: jobPlan.products,
    outputs: dryRunOutputs,
    steps: [...steps, ...copySteps(dryRunOutputs)],
    warnings: [
      ...watermarks.warnings(),
      ...fileNotes(jobPlan),
      ...warnings,
      ...ladderNotes(resolved),
      ...playlistNotes(resolved, jobPlan),
    ],
  };
}

/** Whether ffmpeg makes the file of an output. */
function isEncoded(settings: ResolvedOutput['settings']): boolean {
  return !isTransferOnly(settings) && !isPlaylist(settings) && !isCaptions(settings);
}

/** That the plan of a rendition is not final, if its ladder is chosen by content. */
function ladderNotes(outputs: readonly ResolvedOutput[]): readonly string[] {
  const numbers = outputs.flatMap(({ settings }, index) =>
    settings.dynamic_profile_rendition === undefined ? [] : [index + 1],
  );
  if (numbers.length === 0) return [];
  const names = numbers.length === 1 ? `output ${numbers[0]}` : `outputs ${numbers.join(', ')}`;
  return [`the height, the factor and the highest bitrate of ${names} are measured before the encoding`];
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
    const streams = { hasVideo: video !== null, audioTracks: audio.length };
    const tracks = segmentedTracks(packaging, streams);
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

/**
 * The label of the encoded output whose file an output is made from: outputs that are only transferred have the same
 * file as their source. Undefined if that is the input.
 */
export function encodedSourceOf(
  { source }: OutputSettings,
  outputs: readonly { readonly settings: OutputSettings }[],
): string | undefined {
  const found = outputs.find(({ settings }) => source !== undefined && settings.label === source);
  return found !== undefined && isTransferOnly(found.settings)
    ? encodedSourceOf(found.settings, outputs)
    : source;
}

/**
 * Plans the outputs of a job, each after its `source`: `planFrom` plans those that are made from the same file, which
 * is the input if its second argument is null. Outputs whose source cannot be made have no steps.
 */
export function planWithSources(
  outputs: readonly OutputToPlan[],
  planFrom: (outputs: readonly OutputToPlan[], source: Product | null) => Plan,
): Plan {
  const first = planFrom(
    outputs.filter(({ settings }) => settings.source === undefined),
    null,
  );
  const plans: Plan[] = [first];
  for (const { products } of plans) {
    for (const product of products) {
      const label = outputs.find(({ id }) => id === product.outputId)?.settings.label;
      const dependents = outputs.filter(({ settings }) => label !== undefined && settings.source === label);
      if (dependents.length > 0) plans.push(planFrom(dependents, product));
    }
  }
  return mergePlans(plans);
}

/** The plans of different outputs as one. */
function mergePlans(plans: readonly Plan[]): Plan {
  return {
    steps: plans.flatMap(({ steps }) => steps),
    measurements: plans.flatMap(({ measurements }) => measurements),
    products: plans.flatMap(({ products }) => products),
    references: plans.flatMap(({ references }) => references),
    files: plans.flatMap(({ files }) => files),
    rejections: plans.flatMap(({ rejections }) => rejections),
  };
}

/**
 * Why outputs are skipped for the input, whose facts may depend on the programme that they name, by their numbers: by
 * their rules, or because their source is.
 */
export function skippedOutputs(
  outputs: readonly ResolvedOutput[],
  mediaOf: (settings: OutputSettings) => MediaFacts,
): ReadonlyMap<number, string> {
  const skipped = new Map<number, string>();
  for (const [index, { settings }] of outputs.entries()) {
    const reason = isPlaylist(settings) ? null : exclusionReason(settings, mediaOf(settings));
    if (reason !== null) skipped.set(index + 1, reason);
  }
  const isLost = ({ source }: ResolvedOutput['settings']) =>
    outputs.some(
      ({ settings }, index) => source !== undefined && settings.label === source && skipped.has(index + 1),
    );
  for (let count = -1; count !== skipped.size; ) {
    count = skipped.size;
    for (const [index, { settings }] of outputs.entries())
      if (!skipped.has(index + 1) && isLost(settings))
        skipped.set(index + 1, skippedBecause(`its source ${settings.source} was skipped`));
  }
  return skipped;
}
