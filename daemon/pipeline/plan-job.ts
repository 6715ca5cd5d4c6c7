import { writeFile } from 'node:fs/promises';
import { VencError } from '../../src/shared/errors.js';
import { isCaptions } from '../../src/shared/settings/captions.js';
import type { OutputSettings } from '../../src/shared/settings/index.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import type { EncodeOptions, Ffmpeg } from '../ffmpeg/index.js';
import type { JobOutput } from '../jobs/job.js';
import type { MediaFacts } from '../jobs/media.js';
import type { Run } from '../jobs/run.js';
import { mayStartInFrame } from '../plan/decide/clip.js';
import { canToneMap, isHighRange } from '../plan/decide/colours.js';
import type { MeasuredAudio } from '../plan/decide/normalization.js';
import { segmentGridsOf } from '../plan/decide/packaging.js';
import { isFrameRateUnproven } from '../plan/decide/timing.js';
import { copiesVideo, plan } from '../plan/plan.js';
import type {
  OutputToPlan,
  Plan,
  PreparedCaptions,
  Product,
  Step,
  WatermarkImage,
} from '../plan/plan-types.js';
import type { PlannedReference } from '../plan/quality/quality-types.js';
import { mediaStartSeconds } from '../plan/thumbnails.js';
import { measureAudio, type WithEncoder } from './measure-audio.js';
import type { PipelineContext } from './pipeline-context.js';
import type { ReadAttached } from './read-attached.js';
import type { ReadCaptionFiles } from './read-caption-files.js';
import type { ReadKey } from './read-key.js';
import { createSubtitleReader } from './read-subtitles.js';
import { createSourceChanges, type SourceChanges } from './source-changes.js';
import type { FetchWatermarks } from './watermark-fetcher.js';

/** Reads the files that the outputs of a job name besides the input, each once. */
export interface RequestedFiles {
  readonly fetchWatermarks: FetchWatermarks;
  readonly readCaptionFiles: ReadCaptionFiles;
  readonly readKey: ReadKey;
  readonly readAttached: ReadAttached;
}

/** Outputs that are encoded in the same runs of ffmpeg; often only one. */
interface PlannedGroup {
  /** The outputs; all share their steps. */
  readonly members: readonly PlannedOutput[];
  /** The same outputs, each with the steps that encode it without the others. */
  readonly individually: readonly PlannedOutput[];
}

/** A group, and what is found out about its input. */
export interface GroupToEncode {
  /** The plan of the group from what is known of the input now. Throws if an output cannot be planned any more. */
  readonly latest: () => PlannedGroup;
  readonly source: SourceChanges;
}

/** A planned output. */
export interface PlannedOutput {
  readonly output: JobOutput;
  readonly steps: readonly Step[];
  readonly product: Product;
  /** What it is compared with if its quality is measured; otherwise null. */
  readonly reference: PlannedReference | null;
  /** The steps that encode it without the others at another bitrate, in Kbps. */
  readonly stepsAtBitrate: (kbps: number) => readonly Step[];
}

/** What a step of these outputs processes, for the limit of its processor time. */
export function workOf(
  { durationSeconds }: Step,
  members: readonly Pick<PlannedOutput, 'product'>[],
): NonNullable<EncodeOptions['work']> {
  const sizes = members.map(({ product: { video } }) => (video === null ? 0 : video.width * video.height));
  return { seconds: durationSeconds, pixels: sizes.reduce((sum, pixels) => sum + pixels, 0) };
}

/** An output that is not final, with the facts that planning needs. */
interface PendingOutput {
  readonly output: JobOutput;
  readonly watermarks: readonly WatermarkImage[];
  readonly captions: readonly PreparedCaptions[];
  readonly attached: Awaited<ReturnType<ReadAttached>>;
  /** See `OutputToPlan`. */
  readonly frameAtStart: number | null;
  readonly measured: ReadonlyMap<number, MeasuredAudio>;
}

/**
 * Plans the given outputs, except those that are only transferred, and measures their audio before that if needed.
 * Outputs that cannot be encoded from this input, or whose watermarks, caption files or keys cannot be fetched, fail
 * here and are omitted.
 */
export async function planJob(
  run: Run,
  context: PipelineContext,
  probed: {
    readonly media: MediaFacts;
    readonly input: string;
    readonly scratch: string;
    readonly outputs: readonly JobOutput[];
    readonly requestedFiles: RequestedFiles;
    readonly withEncoder: WithEncoder;
  },
): Promise<readonly GroupToEncode[]> {
  const file = { path: probed.input, media: probed.media };
  const unprepared = probed.outputs.map(({ id, settings, destination }) => ({
    ...{ id, settings, filename: fileNameInUrl(destination), isTest: run.job.test },
  }));
  const media = await withFrameFacts(context.ffmpeg, file, unprepared, run.signal);
  const inspected = { ...probed, media };
  const { fetchWatermarks, readCaptionFiles, readKey, readAttached } = inspected.requestedFiles;
  const readSubtitles = createSubtitleReader(run, context, inspected);
  const found: PendingOutput[] = [];
  for (const output of inspected.outputs) {
    if (isTransferOnly(output.settings) || isCaptions(output.settings)) continue;
    const watermarks = await fetchWatermarks(run, output);
    // A key that is missing fails the output before it is encoded.
    if (watermarks === null || (await readKey(run, output)) === null) continue;
    const frame = await findFrameAtStart(
      context.ffmpeg,
      { path: inspected.input, media },
      output.settings,
      run.signal,
    );
    const fromFiles = await readCaptionFiles(run, output);
    if (fromFiles === null) continue;
    const captions = [...(await readSubtitles(output)), ...fromFiles];
    const attached = await readAttached(run, output, inspected);
    found.push({ output, watermarks, captions, attached, frameAtStart: frame, measured: new Map() });
  }
  const allSettings = run.job.outputs.map(({ settings }) => settings);
  const paths = { input: inspected.input, scratch: inspected.scratch };
  const source = createSourceChanges(run, context, inspected);
  const planFor = (subset: readonly PendingOutput[]): Plan =>
    plan(
      subset.map(({ output, watermarks, captions, attached, frameAtStart, measured }) => ({
        id: output.id,
        settings: output.settings,
        watermarks,
        captions,
        ...attached,
        frameAtStart,
        measured,
        filename: fileNameInUrl(output.destination),
        segmentGrids: segmentGridsOf(output.settings, allSettings),
        isTest: run.job.test,
      })),
      source.media(),
      paths,
      source.ffmpeg().capabilities,
    );
  const pendingOutputs = await measureAudio(run, found, { planFor, source, ...inspected });
  const stepsAtBitrate = (output: JobOutput) => (video_bitrate: number) =>
    planFor(
      pendingOutputs.flatMap((one) =>
        one.output.id === output.id
          ? [{ ...one, output: { ...output, settings: { ...output.settings, video_bitrate } } }]
          : [],
      ),
    ).steps;
  const jobPlan = planFor(pendingOutputs);
  for (const { outputId, failure } of jobPlan.rejections)
    await run.change({ type: 'output-failed', id: outputId, failure });
  for (const { path, content } of jobPlan.files) await writeFile(path, content);
  const { video } = inspected.media;
  if (video !== null && isHighRange(video) && !canToneMap(source.ffmpeg().capabilities)) {
    context.log(
      'warn',
      `Job ${run.job.id}: the input is HDR and this ffmpeg has no zscale or tonemap filter, so the outputs may look pale.`,
    );
  }
  const outputs = pendingOutputs.map(({ output }) => output);
  const planOnly = (ids: readonly number[]) =>
    planFor(pendingOutputs.filter(({ output }) => ids.includes(output.id)));
  const toGroup = (ids: readonly number[], groupPlan: Plan): PlannedGroup => ({
    members: plannedOutputs(groupPlan, outputs, ids, stepsAtBitrate),
    individually: ids.flatMap((id) =>
      plannedOutputs(ids.length === 1 ? groupPlan : planOnly([id]), outputs, [id], stepsAtBitrate),
    ),
  });
  return groupIds(jobPlan.steps).map((ids) => {
    let planned = { from: source.media(), by: source.ffmpeg(), group: toGroup(ids, jobPlan) };
    const latest = () => {
      const [from, by] = [source.media(), source.ffmpeg()];
      if (from === planned.from && by === planned.by) return planned.group;
      const { rejections, ...newPlan } = planOnly(ids);
      for (const { failure } of rejections) throw new VencError(failure.errorClass, failure.message);
      planned = { from, by, group: toGroup(ids, { rejections, ...newPlan }) };
      return planned.group;
    };
    return { latest, source };
  });
}

/** The ids of the outputs that share steps, in the order of the steps. */
function groupIds(steps: readonly Step[]): readonly (readonly number[])[] {
  return steps
    .map(({ outputIds }) => outputIds)
    .filter((ids, at, all) => all.findIndex((earlier) => earlier[0] === ids[0]) === at);
}

function plannedOutputs(
  { steps, products, references }: Plan,
  outputs: readonly JobOutput[],
  ids: readonly number[],
  stepsAtBitrate: (output: JobOutput) => PlannedOutput['stepsAtBitrate'],
): readonly PlannedOutput[] {
  return outputs.flatMap((output) => {
    const product = products.find(({ outputId }) => outputId === output.id);
    if (product === undefined || !ids.includes(output.id)) return [];
    const own = steps.filter(({ outputIds }) => outputIds.includes(output.id));
    const reference = references.find(({ outputId }) => outputId === output.id) ?? null;
    return [{ output, steps: own, product, reference, stepsAtBitrate: stepsAtBitrate(output) }];
  });
}

/**
 * The facts of an input with what all its frames show, if an output encodes the video: the frame rate, if that is
 * unknown (constant, although the times are rounded, or variable), and changes of the shape that ffmpeg does not see.
 */
export async function withFrameFacts(
  ffmpeg: Pick<Ffmpeg, 'measureConstantRate' | 'listShapes' | 'capabilities'>,
  input: { readonly path: string; readonly media: MediaFacts },
  outputs: readonly OutputToPlan[],
  signal?: AbortSignal,
): Promise<MediaFacts> {
  const { path, media } = input;
  const { video, format } = media;
  const encodesVideo = (output: OutputToPlan) =>
    mayEncodeVideo(output.settings) && !copiesVideo(output, media, ffmpeg.capabilities);
  if (video === null || !outputs.some(encodesVideo)) return media;
  const shapes = await ffmpeg.listShapes(path, media, signal);
  const isUnproven = isFrameRateUnproven(video, format);
  const rate = isUnproven ? await ffmpeg.measureConstantRate(path, video, signal) : null;
  signal?.throwIfAborted();
  return {
    ...media,
    video: {
      ...video,
      ...(shapes === null ? {} : { shapes }),
      ...(isUnproven && rate === null ? { isFrameRateVariable: true } : {}),
      ...(rate === null ? {} : { frameRate: rate, isFrameRateVariable: false, hasRoundedTimes: true }),
    },
  };
}

function mayEncodeVideo(settings: OutputSettings): boolean {
  return !isTransferOnly(settings) && !isCaptions(settings) && settings.skip_video !== true;
}

/**
 * The start of the frame that is displayed at the start of the clip of an output, in seconds from the start of the
 * input. Null if it is not needed, because the frame rate is high, or not found.
 */
export async function findFrameAtStart(
  ffmpeg: Pick<Ffmpeg, 'findDisplayedFrame'>,
  input: { readonly path: string; readonly media: MediaFacts },
  settings: OutputSettings,
  signal?: AbortSignal,
): Promise<number | null> {
  const { path, media } = input;
  const { video } = media;
  if (video === null || settings.copy_video === true || !mayStartInFrame(settings, media)) return null;
  const startSeconds = mediaStartSeconds(media);
  const position = {
    streamIndex: video.streamIndex,
    seconds: startSeconds + (settings.start_clip ?? 0),
    analysis: media.analysis,
  };
  const frameStartSeconds = await ffmpeg.findDisplayedFrame(path, position, signal);
  signal?.throwIfAborted();
  return frameStartSeconds === null ? null : Math.max(0, frameStartSeconds - startSeconds);
}
