import type { AudioFacts, MediaFacts, VideoFacts } from '../../jobs/media.js';
import { endTimeFormats } from '../../plan/decide/clip.js';
import { isLengthOff } from '../../plan/product.js';
import { declaredBytes, lastTimestamp } from './file-end.js';
import type { TrackTimes } from './measure-streams.js';
import { numberAt, objectAt, objectsAt, parseProbe, tagAt } from './probe-fields.js';
import { clockSeconds } from './read-streams.js';

/** A file as it was probed, and how to measure its tracks from all its packets. */
interface ProbedFile {
  readonly path: string;
  readonly head: Buffer;
  readonly sizeBytes: number;
  /** ffprobe's output. */
  readonly json: string;
  readonly measure: () => Promise<ReadonlyMap<number, TrackTimes> | null>;
}

/** More missing bytes than this share of a file mean that it was cut off. Some tools count a few bytes more or less. */
const minMissingShare = 0.02;

/** A track that ends so much later than the last packet of a file begins has a frame that is displayed for long. */
const heldSeconds = 0.5;

/**
 * The facts of a file with the right length. A header may declare another one, which the end of the file shows: then
 * all packets are read. A file that is shorter than its header says keeps its declared length.
 */
export async function withCorrectLength(media: MediaFacts, file: ProbedFile): Promise<MediaFacts> {
  if (media.isJoined === true) return media;
  const wholeBytes = declaredBytes(file.head);
  if (wholeBytes !== null && wholeBytes * (1 - minMissingShare) > file.sizeBytes)
    return { ...media, ...wholeLength(media, wholeBytes / file.sizeBytes) };
  const last = await lastTimestamp(file.path, file.head, file.sizeBytes).catch(() => null);
  if (!mayBeWrong(media, file.json, last)) {
    const { video, audio } = media;
    if (audio === null) return withLastFrame(media, last);
    if (video === null || last === null || (video.durationSeconds ?? 0) - last < heldSeconds) return media;
    return withLastFrame(media, (await file.measure())?.get(video.streamIndex)?.lastSeconds ?? null);
  }
  const tracks = await file.measure();
  return tracks === null ? media : withTracks(media, tracks, file);
}

/**
 * How long a file was before it was cut off. Without its index, the duration of an AVI file is that of what is left, as
 * is that of a WAV file. Programs that write WAV to a pipe guess its size, so it is only a wrong declaration there.
 */
function wholeLength(
  { format, durationSeconds, video }: MediaFacts,
  ratio: number,
): Pick<MediaFacts, 'wholeSeconds' | 'declaredSeconds'> {
  if (durationSeconds === null) return {};
  if (format === 'wav') {
    const declaredSeconds = durationSeconds * ratio;
    return isLengthOff(declaredSeconds, durationSeconds) ? { declaredSeconds } : {};
  }
  if (format !== 'avi') return { wholeSeconds: durationSeconds };
  const { frameRate = null, frameCount = 0 } = video ?? {};
  const declared = frameRate === null ? 0 : (frameCount * frameRate.denominator) / frameRate.numerator;
  return { wholeSeconds: declared > durationSeconds ? declared : durationSeconds * ratio };
}

function mayBeWrong(
  { format, durationSeconds, video, audio }: MediaFacts,
  json: string,
  last: number | null,
): boolean {
  const starts = [video?.startSeconds, audio?.startSeconds].filter((start) => typeof start === 'number');
  const start = starts.length === 0 ? 0 : Math.min(...starts);
  // For Opus in Ogg that does not begin at 0, ffprobe reports when it ends.
  if (format === 'ogg') return isLengthOff(0, start);
  if (format === 'apng') return true;
  if (durationSeconds === null || last === null) return false;
  const probe = parseProbe(json);
  const declared = numberAt(objectAt(probe, 'format'), 'duration') ?? durationSeconds;
  // A track may declare that its last frame is displayed for long.
  const ends = objectsAt(probe, 'streams').map((stream) => clockSeconds(tagAt(stream, 'duration')) ?? 0);
  const end = Math.max(last, ...ends);
  return isLengthOff(declared, end) && isLengthOff(declared, end - start);
}

/** Matroska declares only when a track ends, and not how long its last frame, which begins at `last`, is displayed. */
function withLastFrame(media: MediaFacts, last: number | null): MediaFacts {
  const { video } = media;
  const end = video?.durationSeconds ?? null;
  if (last === null || video === null || end === null || end <= last) return media;
  return { ...media, video: { ...video, lastFrame: { startSeconds: last, endSeconds: end } } };
}

function withTracks(
  media: MediaFacts,
  tracks: ReadonlyMap<number, TrackTimes>,
  { json, sizeBytes }: ProbedFile,
): MediaFacts {
  const declaredSeconds = numberAt(objectAt(parseProbe(json), 'format'), 'duration');
  const corrected = <T extends AudioFacts | VideoFacts>(stream: T): T => {
    const track = tracks.get(stream.streamIndex);
    if (track === undefined) return stream;
    const { startSeconds, endSeconds } = track;
    const durationSeconds = endTimeFormats.has(media.format) ? endSeconds : endSeconds - startSeconds;
    return { ...stream, durationSeconds };
  };
  const chosen = [media.video, media.audio].flatMap((stream) => {
    const track = stream === null ? undefined : tracks.get(stream.streamIndex);
    return track === undefined ? [] : [track];
  });
  const first = Math.min(...chosen.map(({ startSeconds }) => startSeconds));
  const seconds = Math.max(...chosen.map(({ endSeconds }) => endSeconds)) - first;
  if (!(seconds > 0)) return media;
  const { otherAudio } = media;
  const all = [...tracks.values()];
  // Tracks that are not chosen, such as subtitles, may end later.
  const fileSeconds = Math.max(...all.map(({ endSeconds }) => endSeconds)) - first;
  const videoTrack = media.video === null ? undefined : tracks.get(media.video.streamIndex);
  const lastFrame = videoTrack && {
    startSeconds: videoTrack.lastSeconds,
    endSeconds: videoTrack.endSeconds,
  };
  return {
    ...media,
    durationSeconds: seconds,
    ...(declaredSeconds !== null && isLengthOff(declaredSeconds, fileSeconds) ? { declaredSeconds } : {}),
    totalBitrateKbps: Math.round((sizeBytes * 8) / 1000 / seconds),
    video: media.video && { ...corrected(media.video), ...(lastFrame === undefined ? {} : { lastFrame }) },
    audio: media.audio && corrected(media.audio),
    ...(otherAudio && { otherAudio: otherAudio.map(corrected) }),
  };
}
