import { isMeasured } from '../../../src/shared/settings/quality.js';
import { type MediaFacts, swapsSides } from '../../jobs/media.js';
import { finalMatrix } from '../decide/colours.js';
import type { Decision, Overlay, PixelSize, VideoDecision } from '../decide/decisions.js';
import { videoEncoders } from '../encoders.js';
import type { Capabilities, OutputToPlan, PlanPaths } from '../plan-types.js';
import { videoGraph, videoLabel } from '../write/filters.js';
import { inputArgs, secondsArgument } from '../write/input.js';
import { skipOf } from '../write/output.js';
import { encoderTiming, timingArgs } from '../write/timing.js';
import { watermarkInputArgs } from '../write/watermarks.js';
import { framesOfFile, rawArgs, withoutGrain } from './frame-runs.js';
import { isDeepFormat, metricSize } from './metric-graph.js';
import { keptHdrWarning } from './pool-scores.js';
import type { FrameRun, PlannedReference } from './quality-types.js';

/**
 * What the video of an output is compared with if its quality is measured; nothing if it is not, and for a clip that
 * is copied, whose first frame is that of a keyframe before it.
 */
export function planReference(
  decision: Decision,
  settings: OutputToPlan['settings'],
  media: MediaFacts,
  paths: PlanPaths,
  capabilities: Capabilities,
): readonly PlannedReference[] {
  const { outputId, video, copiedVideo, clip } = decision;
  if (!isMeasured(settings)) return [];
  const { quality_metric: metric = 'vmaf', quality_reference: reference = 'output' } = settings;
  if (copiedVideo !== undefined) {
    const { source } = copiedVideo;
    if (clip.startSeconds > 0 || clip.lengthSeconds !== null) return [];
    const frames = framesOfFile(paths.input, media, source, capabilities);
    const { colourSpace, colourRange } = source;
    const declared = {
      ...(colourSpace === undefined ? {} : { colourSpace }),
      ...(colourRange === undefined ? {} : { colourRange }),
    };
    return [{ outputId, metric, reference, frames, declared, warnings: [] }];
  }
  if (video === null || media.video === null) return [];
  const { signalling, colours, toneMapFrom, hdr } = video;
  const { width, height } = media.video;
  const isSideways = swapsSides(video.orientation);
  const original = isSideways ? { width: height, height: width } : { width, height };
  return [
    {
      ...{ outputId, metric, reference },
      frames: framesOfReference(
        { ...decision, video },
        paths,
        capabilities,
        reference === 'source' ? original : null,
      ),
      declared: signalling.hasColours
        ? { colourSpace: colours.matrix, colourRange: signalling.isFullRange ? 'full' : 'limited' }
        : {},
      warnings: [
        ...(toneMapFrom === null ? [] : [toneMappedWarning]),
        ...(hdr === undefined ? [] : [keptHdrWarning]),
      ],
    },
  ];
}

const toneMappedWarning =
  'The quality was measured against the film in standard range, converted as the output was.';

/**
 * The frames that the encoder of an output received: those of the input, through all filters of the output. If
 * `sourceSize` is given, the size of the input after rotation, they are scaled for the metric instead of to the size of
 * the output.
 */
function framesOfReference(
  decision: Decision & { readonly video: VideoDecision },
  paths: PlanPaths,
  capabilities: Capabilities,
  sourceSize: PixelSize | null,
): FrameRun {
  const { clip } = decision;
  const video = sourceSize === null ? decision.video : atMetricSize(decision.video, sourceSize);
  const skip = skipOf(decision);
  const timing = encoderTiming(video, videoEncoders[video.encoder], capabilities);
  return {
    args: [
      ...['-y', ...withoutGrain(capabilities), ...inputArgs(paths, clip, video)],
      ...watermarkInputArgs(video.watermarks),
      ...['-filter_complex', videoGraph(video, capabilities, 1, skip), '-map', videoLabel],
      ...timingArgs(timing, capabilities),
      ...(skip.seconds > 0 ? ['-ss', secondsArgument(skip.seconds)] : []),
      ...(clip.lengthSeconds === null ? [] : ['-t', secondsArgument(clip.lengthSeconds)]),
      ...rawArgs,
    ],
    side: {
      size: { width: displayWidth(video), height: video.fit.canvas.height },
      matrix: finalMatrix(video),
      isFullRange: video.signalling.isFullRange,
      isDeep: isDeepFormat(video.codecOptions.pixelFormat),
    },
  };
}

/**
 * A video at the size of the metric, with everything in it scaled in proportion. `original` is the size of the input
 * after rotation.
 */
function atMetricSize(video: VideoDecision, original: PixelSize): VideoDecision {
  const { fit, watermarks, signalling, burned } = video;
  const { canvas, by } = fit;
  const to = metricSize({ width: displayWidth(video), height: canvas.height });
  const [x, y] = [to.width / canvas.width, to.height / canvas.height];
  // Rounding must not make the video smaller than what is cropped from it, or larger than the frame around it.
  const round = by === 'crop-centre' ? Math.ceil : by === 'bars' ? Math.floor : Math.round;
  const scaleSize = ({ width, height }: PixelSize): PixelSize => ({
    width: Math.max(2, round((width * x) / 2) * 2),
    height: Math.max(2, round((height * y) / 2) * 2),
  });
  // An odd side loses its last line, so that the lines of the others stay where they are.
  const isSameShape = by === 'nothing';
  const scaleMark = ({ scaleTo, ...mark }: Overlay): Overlay => ({
    ...mark,
    scaleTo: scaleSize(scaleTo ?? mark.image),
    ...{ x: Math.round(mark.x * x), y: Math.round(mark.y * y) },
  });
  return {
    ...video,
    fit: {
      scaleTo: isSameShape ? to : scaleSize(fit.scaleTo ?? original),
      canvas: to,
      by: isSameShape ? 'nothing' : by,
    },
    watermarks: watermarks.map(scaleMark),
    signalling: { ...signalling, pixelRatio: null },
    ...(burned?.from !== 'input'
      ? {}
      : {
          burned: {
            ...burned,
            ...{ x: Math.round(burned.x * x), y: Math.round(burned.y * y), ...scaleSize(burned) },
          },
        }),
  };
}

/** The width of an output with square pixels. */
function displayWidth({ fit, signalling: { pixelRatio } }: VideoDecision): number {
  const ratio = pixelRatio === null ? 1 : pixelRatio.numerator / pixelRatio.denominator;
  return Math.round(fit.canvas.width * ratio);
}
