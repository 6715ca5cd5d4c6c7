import type { BitrateCap, VideoDecision } from '../decide/decisions.js';
import { atLevel, type VideoEncoder } from '../encoders.js';

/** The frame rate assumed for an input without one. */
export const assumedFramesPerSecond = 25;
/**
 * The minimum ceiling for `quality` 1-5: a slide show has few pixels per second, but still needs bits for each slide.
 */
const minCeilingKbps = [60, 80, 100, 130, 170] as const;
/**
 * The maximum bitrate relative to the cap: a bitrate may be missed by a tenth, and its peaks need space below the cap.
 */
const capHeadroom = 0.9;

/**
 * The arguments of the rate control: a quality or a bitrate, and the cap. `scale` multiplies all bitrates, for an
 * encoder that assumes longer durations.
 */
export function rateArgs(original: VideoDecision, encoder: VideoEncoder, scale = 1): readonly string[] {
  const video = scaled(original, scale);
  if (video.rate.by === 'bitrate' && video.rate.isConstant === true)
    return [...option('-b:v', video.rate.kbps), ...(encoder.withBitrate ?? [])];
  const { cap } = video;
  const { bitrateRatio, bufferRatio } = encoder.underCap;
  const capArgs =
    cap === null
      ? []
      : [
          ...option('-maxrate', cap.kbps * bitrateRatio),
          ...option('-bufsize', cap.bufferKilobits * bufferRatio),
        ];
  return [...targetArgs(video, encoder), ...capArgs];
}

function targetArgs(video: VideoDecision, encoder: VideoEncoder): readonly string[] {
  const { rate, cap } = video;
  if (rate.by === 'bitrate') {
    return [...option('-b:v', belowCap(rate.kbps, cap, encoder)), ...(encoder.withBitrate ?? [])];
  }
  const quality = rate.by === 'crf' ? ['-crf', String(rate.factor)] : atLevel(encoder.quality, rate.level);
  const ceiling = ceilingKbps(video, encoder);
  const cappedKbps = cap === null ? null : cap.kbps * encoder.underCap.bitrateRatio;
  switch (encoder.underCap.quality) {
    case 'quality-only':
      return quality;
    case 'with-bitrate': {
      const kbps = Math.min(ceiling ?? Number.POSITIVE_INFINITY, cappedKbps ?? Number.POSITIVE_INFINITY);
      return [...quality, ...(Number.isFinite(kbps) ? option('-b:v', kbps) : (encoder.withQuality ?? []))];
    }
    case 'bitrate-only':
      return cappedKbps === null ? quality : option('-b:v', cappedKbps);
  }
}

function scaled(video: VideoDecision, scale: number): VideoDecision {
  const { rate, cap } = video;
  return {
    ...video,
    rate: rate.by === 'bitrate' ? { ...rate, kbps: rate.kbps * scale } : rate,
    cap: cap && { kbps: cap.kbps * scale, bufferKilobits: cap.bufferKilobits * scale },
  };
}

/** The requested bitrate; slightly below the cap for encoders that exceed caps. */
function belowCap(kbps: number, cap: BitrateCap | null, { underCap }: VideoEncoder): number {
  return cap === null || underCap.bitrateRatio === 1 ? kbps : Math.min(kbps, cap.kbps * capHeadroom);
}

/** A ceiling must not decide about a factor that was searched for a quality. */
const searchedCeilingScale = 8;

function ceilingKbps(
  { rate, quality, fit, framesPerSecond }: VideoDecision,
  encoder: VideoEncoder,
): number | null {
  if (rate.by === 'bitrate' || encoder.ceilingBitsPerPixel === undefined) return null;
  const pixelsPerSecond = fit.canvas.width * fit.canvas.height * (framesPerSecond ?? assumedFramesPerSecond);
  // A factor has no ceiling of its own, so it gets the one of the highest quality.
  const level = rate.by === 'crf' ? 5 : rate.level;
  const scale = quality === undefined ? 1 : searchedCeilingScale;
  const kbps = Math.ceil((scale * pixelsPerSecond * atLevel(encoder.ceilingBitsPerPixel, level)) / 1000);
  return Math.max(kbps, atLevel(minCeilingKbps, level));
}

/** An option with a bitrate. A whole kilobit is more than a percent of a low one. */
function option(name: string, kilobits: number): readonly string[] {
  const steps = kilobits < 100 ? 10 : 1;
  return [name, `${Math.max(1, Math.round(kilobits * steps) / steps)}k`];
}
