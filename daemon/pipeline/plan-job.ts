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
import { copiedClip, plan } from '../plan/plan.js';
import type {
  CopyStart,
  OutputToPlan,
  Plan,
  PreparedCaptions,
  Product,
  Step,
  WatermarkImage,
} from '../plan/plan-types.js';
import type { QualitySample } from '../plan/quality/choose-samples.js';
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
  /** The path of the input. */
  readonly input: string;
  /** Plans an output with the constant rate factor that was found for its `quality_target`. */
  readonly setFactor: (outputId: number, crf: number) => void;
}

/** The part of a film that a probe of its quality encodes. */
interface PlannedPart extends Pick<PlannedOutput, 'steps' | 'product' | 'reference'> {
  readonly files: Plan['files'];
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
  /** The video of a sample, with its lead-in, or of all of it (null), at a constant rate factor in this folder. */
  readonly planPart: (sample: QualitySample | null, crf: number, folder: string) => PlannedPart;
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
  readonly copyStart: CopyStart | null;
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
    const start = await findCopyStart(
      context.ffmpeg,
      { path: inspected.input, media },
      unprepared.find(({ id }) => id === output.id),
      run.signal,
    );
    found.push({
      ...{ output, watermarks, captions, attached },
      ...{ frameAtStart: frame, copyStart: start, measured: new Map() },
    });
  }
  const allSettings = run.job.outputs.map(({ settings }) => settings);
  const paths = { input: inspected.input, scratch: inspected.scratch };
  const source = createSourceChanges(run, context, inspected);
  const factors = new Map<number, number>();
  const planFor = (subset: readonly PendingOutput[], files = paths, used = factors): Plan =>
    plan(
      subset.map(({ output, watermarks, captions, attached, frameAtStart, copyStart, measured }) => ({
        id: output.id,
        settings: output.settings,
        watermarks,
        captions,
        ...attached,
        frameAtStart,
        copyStart,
        measured,
        filename: fileNameInUrl(output.destination),
        segmentGrids: segmentGridsOf(output.settings, allSettings),
        isTest: run.job.test,
        ...factorOf(used, output),
      })),
      source.media(),
      files,
      source.ffmpeg().capabilities,
    );
  const pendingOutputs = await measureAudio(run, found, { planFor, source, ...inspected });
  const withSettings = ({ id }: JobOutput, change: (settings: OutputSettings) => OutputSettings) =>
    pendingOutputs.flatMap((one) =>
      one.output.id === id
        ? [{ ...one, output: { ...one.output, settings: change(one.output.settings) } }]
        : [],
    );
  const replan = (output: JobOutput): Pick<PlannedOutput, 'stepsAtBitrate' | 'planPart'> => ({
    stepsAtBitrate: (video_bitrate) =>
      planFor(withSettings(output, (settings) => ({ ...settings, video_bitrate }))).steps,
    planPart(sample, crf, scratch) {
      const part = withSettings(output, (settings) => partSettings(settings, sample));
      const { products, steps, references, files, rejections } = planFor(
        part,
        { ...paths, scratch },
        new Map([[output.id, crf]]),
      );
      const [[product], [reference = null], [rejection]] = [products, references, rejections];
      if (product === undefined)
        throw new VencError(
          rejection?.failure.errorClass ?? 'TranscodingError',
          rejection?.failure.message ?? 'A sample of the film cannot be encoded.',
        );
      return { product, steps, reference, files };
    },
  });
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
    members: plannedOutputs(groupPlan, outputs, ids, replan),
    individually: ids.flatMap((id) =>
      plannedOutputs(ids.length === 1 ? groupPlan : planOnly([id]), outputs, [id], replan),
    ),
  });
  return groupIds(jobPlan.steps).map((ids) => {
    let planned = { from: source.media(), by: source.ffmpeg(), group: toGroup(ids, jobPlan) };
    let isOutdated = false;
    const latest = () => {
      const [from, by] = [source.media(), source.ffmpeg()];
      if (from === planned.from && by === planned.by && !isOutdated) return planned.group;
      isOutdated = false;
      const { rejections, ...newPlan } = planOnly(ids);
      for (const { failure } of rejections) throw new VencError(failure.errorClass, failure.message);
      planned = { from, by, group: toGroup(ids, { rejections, ...newPlan }) };
      return planned.group;
    };
    const setFactor = (id: number, crf: number) => {
      isOutdated ||= factors.get(id) !== crf;
      factors.set(id, crf);
    };
    return { latest, source, setFactor, input: inspected.input };
  });
}

function factorOf(factors: ReadonlyMap<number, number>, { id }: JobOutput): { readonly crf?: number } {
  const crf = factors.get(id);
  return crf === undefined ? {} : { crf };
}

/** The settings of an output for a sample of its video. */
function partSettings(settings: OutputSettings, sample: QualitySample | null): OutputSettings {
  const { thumbnails: _thumbnails, audio_tracks: _tracks, ...video } = settings;
  const { start_clip = 0 } = settings;
  return {
    ...video,
    ...{ copy_video: false, skip_audio: true, metadata: 'drop', chapters: 'drop', cover: 'drop' },
    ...(settings.subtitles === 'burn' ? {} : { skip_captions: true }),
    ...(sample === null
      ? {}
      : {
          start_clip: start_clip + sample.startSeconds - sample.leadInSeconds,
          clip_length: sample.leadInSeconds + sample.lengthSeconds,
        }),
  };
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
  replan: (output: JobOutput) => Pick<PlannedOutput, 'stepsAtBitrate' | 'planPart'>,
): readonly PlannedOutput[] {
  return outputs.flatMap((output) => {
    const product = products.find(({ outputId }) => outputId === output.id);
    if (product === undefined || !ids.includes(output.id)) return [];
    const own = steps.filter(({ outputIds }) => outputIds.includes(output.id));
    const reference = references.find(({ outputId }) => outputId === output.id) ?? null;
    return [{ output, steps: own, product, reference, ...replan(output) }];
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
    mayEncodeVideo(output.settings) && copiedClip(output, media, ffmpeg.capabilities) === null;
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

/** Where the packets of a copied clip begin; null if the clip has the start of the input, or if that is not known. */
export async function findCopyStart(
  ffmpeg: Pick<Ffmpeg, 'findCopyStart' | 'capabilities'>,
  input: { readonly path: string; readonly media: MediaFacts },
  output: OutputToPlan | undefined,
  signal?: AbortSignal,
): Promise<CopyStart | null> {
  const { path, media } = input;
  const clip = output === undefined ? null : copiedClip(output, media, ffmpeg.capabilities);
  if (clip === null || clip.seconds === 0) return null;
  const start = await ffmpeg.findCopyStart(path, clip, media.analysis, signal);
  signal?.throwIfAborted();
  return start;
}
