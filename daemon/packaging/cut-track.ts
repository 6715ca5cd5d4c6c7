import type { Sample, Track } from './sample-tables.js';
import { SegmentCutter } from './segments.js';

/** A part of a track that begins where its segment does. Times are in units of the timescale of the track. */
export interface TrackSegment {
  /** The number of the segment, from 0. One that would be empty is left out. */
  readonly index: number;
  readonly startTime: number;
  readonly duration: number;
  /** Its samples, from keyframe to keyframe if it is video, or all of them. Neither is empty. */
  readonly fragments: readonly (readonly Sample[])[];
}

/** When segments begin, in seconds, by their number from 0. `Infinity` after the last one. */
export type SegmentStarts = (index: number) => number;

/**
 * Finds where the segments of tracks begin: at the keyframes of the video, see {@link SegmentCutter}. Without video, or
 * after it has ended, at each `segmentSeconds`, as far as there is audio. If the tracks are in the same segments
 * (`areTogether`), the last one has all audio that is left.
 */
export function segmentStarts(
  tracks: readonly Track[],
  segmentSeconds: number,
  areTogether: boolean,
): SegmentStarts {
  const video = tracks.find(({ kind }) => kind === 'video');
  const end = Math.max(0, ...tracks.filter(({ kind }) => kind === 'audio').map(endOf));
  const ofAudio = (seconds: number) => (seconds < end - minRestSeconds ? seconds : Number.POSITIVE_INFINITY);
  if (video === undefined) return (index) => ofAudio(index * segmentSeconds);
  const cutter = new SegmentCutter(segmentSeconds);
  let first: number | null = null;
  for (const { time, isSync } of presentedSamples(video)) {
    const seconds = time / video.timescale;
    first ??= seconds;
    if (isSync) cutter.add({ offset: 0, seconds, keyframeBytes: 0 });
  }
  const starts = cutter
    .end(Number.POSITIVE_INFINITY, 0)
    .map(({ startSeconds }) => startSeconds + (first ?? 0));
  const lastStart = starts.at(-1) ?? 0;
  const videoEnd = endOf(video);
  const restStart = Math.max(lastStart + segmentSeconds, videoEnd);
  if (areTogether) return (index) => starts[index] ?? Number.POSITIVE_INFINITY;
  return (index) => starts[index] ?? ofAudio(restStart + (index - starts.length) * segmentSeconds);
}

/** A rest of audio that is shorter, such as one frame, is part of the segment before it. */
export const minRestSeconds = 0.1;

/** When a track ends, in seconds. */
export function endOf(track: Track): number {
  return endOfSamples(presentedSamples(track)) / track.timescale;
}

/**
 * When samples end that are in the order in which they are decoded. The duration of each lasts until the next one is
 * decoded, which may be long after the next one is presented. Only that of the last one is how long a frame is
 * presented.
 */
function endOfSamples(samples: Iterable<Sample>): number {
  let latest = 0;
  let lastDuration = 0;
  for (const { time, duration } of samples) {
    latest = Math.max(latest, time);
    lastDuration = duration;
  }
  return latest + lastDuration;
}

/**
 * The samples of a track as a presentation without edit lists has them. The first frame of video is decoded when it is
 * presented. Frames of audio before the presentation begins are left out, because players would play them: encoders
 * write them to start their filters.
 */
export function* presentedSamples({ kind, samples }: Pick<Track, 'kind' | 'samples'>): Generator<Sample> {
  let delay: number | null = null;
  for (const sample of samples()) {
    const { time, duration, decodeTime } = sample;
    if (kind === 'video') {
      delay ??= Math.max(0, time) - decodeTime;
      yield { ...sample, decodeTime: decodeTime + delay };
    } else if (delay !== null || time >= -duration / 2) {
      // A first frame that begins less than half of its duration before 0 delays the track by that, 11 ms at most.
      delay ??= Math.max(0, -time);
      yield { ...sample, time: time + delay, decodeTime: time + delay };
    }
  }
}

/** Timestamps are rounded to units of the timescale. */
const toleranceSeconds = 0.0015;

/**
 * Cuts a track at the given times: video at the first keyframe from there on, audio at the last frame that begins
 * before or there.
 */
export function* cutTrack(track: Track, starts: SegmentStarts): Generator<TrackSegment> {
  const { kind, timescale } = track;
  const isNext = ({ time, duration, isSync }: Sample, index: number) =>
    kind === 'video'
      ? isSync && time / timescale >= starts(index) - toleranceSeconds
      : (time + duration) / timescale > starts(index) + toleranceSeconds;
  let fragments: Sample[][] = [];
  let index = 0;
  for (const sample of presentedSamples(track)) {
    const [first] = fragments[0] ?? [];
    if (isNext(sample, index + 1)) {
      if (first !== undefined)
        yield { index, startTime: first.time, duration: sample.time - first.time, fragments };
      fragments = [];
      // A long frame may contain the starts of several segments.
      while (isNext(sample, index + 1)) index += 1;
    }
    if (fragments.length === 0 || (kind === 'video' && sample.isSync)) fragments.push([]);
    fragments.at(-1)?.push(sample);
  }
  const [first] = fragments[0] ?? [];
  if (first === undefined) return;
  yield { index, startTime: first.time, duration: endOfSamples(fragments.flat()) - first.time, fragments };
}
