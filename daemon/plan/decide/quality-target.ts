import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { type VideoEncoder, type VideoEncoderName, videoEncoders } from '../encoders.js';
import type { CrfScale, TargetQuality } from '../quality/search-crf.js';
import { targetKbps } from './bitrate-cap.js';
import type { VideoDecision, VideoRate } from './decisions.js';

/** The score at which the factors of `VideoEncoder.crf` are known. */
const knownScore = 94;

/**
 * The `quality_target` of an output; null if nothing is asked for, if a bitrate decides, or if the encoder has no factor.
 */
export function targetQuality(settings: OutputSettings, encoder: VideoEncoderName): TargetQuality | null {
  const { quality_target: target, quality_floor } = settings;
  const { crf }: VideoEncoder = videoEncoders[encoder];
  if (target === undefined || crf === undefined || targetKbps(settings) !== undefined) return null;
  const { min = 1, max, step = 1, slope, at94 } = crf;
  const first = at94 + Math.log((100 - target) / (100 - knownScore)) / slope;
  return { target, floor: quality_floor ?? null, scale: { min, max, step, slope, first } };
}

/** The rate of the first probe, on the grid of all encoders. */
export function firstRate({ min, max, first }: CrfScale): VideoRate {
  return { by: 'crf', factor: Math.min(max, Math.max(min, Math.round(first))), passes: 1 };
}

/** A video with the factor that was found for its `quality_target`; unchanged if it has none, or before the search. */
export function withFactor(video: VideoDecision, factor: number | undefined): VideoDecision {
  if (video.quality === undefined || factor === undefined) return video;
  return { ...video, rate: { by: 'crf', factor, passes: 1 } };
}
