import { VencError } from '../../../src/shared/errors.js';
import type { Analysis, MediaFacts, VideoFacts } from '../../jobs/media.js';
import { isHighRange } from '../../plan/decide/colours.js';
import { inputOptions } from '../../plan/safe-input.js';
import { ProgramMessages } from '../explain.js';
import type { Binary } from '../ffmpeg-types.js';
import { withCorrectLength } from './correct-length.js';
import { isMp4, playlistKind } from './formats.js';
import { withHeaderFacts } from './header-facts.js';
import {
  detectFieldOrder,
  findEmptyAudio,
  findStills,
  mayBeInterlaced,
  measureTracks,
  measureVariableVideo,
} from './measure-streams.js';
import { explainBoxes, readMovieSeconds, withMovieLength } from './mp4-boxes.js';
import { numberAt, objectAt, objectsAt, parseProbe } from './probe-fields.js';
import { probeFurther } from './probe-further.js';
import { readHdr } from './read-hdr.js';
import { type ProbeSettings, readHead, runFfprobe } from './run-ffprobe.js';
import { withFile } from './scan-file.js';
import { measureChainedOgg } from './scan-ogg.js';
import { measureJoinedProgramStream } from './scan-program-stream.js';
import { scanTransportStream } from './scan-transport-stream.js';
import { validateProbe } from './validate-probe.js';

// The side data of eight packets shows whether the file is encrypted; the packets' contents are not printed.
const probeArgs = (analysis?: Analysis) => [
  ...['-v', 'warning', '-hide_banner', ...inputOptions(analysis), '-print_format', 'json', '-show_format'],
  ...['-show_streams', '-show_programs', '-show_chapters', '-show_packets', '-read_intervals', '%+#8'],
];

/** Implements `Ffmpeg.probe`. Rejects as `withFile` does, and with `TranscodingTimeoutError` if the first look takes too long. */
export async function probeFile(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  { signal, program }: { readonly signal?: AbortSignal | undefined; readonly program?: string | undefined },
): Promise<MediaFacts> {
  const { head, sizeBytes } = await readHead(path);
  if (sizeBytes === 0) throw new VencError('NoMediaError', 'The file is empty.');
  const playlist = playlistKind(head);
  if (playlist !== null) {
    const message = `The file is a playlist (${playlist}); the files that it refers to are not fetched.`;
    throw new VencError('UnsupportedInputError', message);
  }
  // Reading takes as long as starting ffprobe. What fails is reported where the result is used.
  const movieLength = isMp4(head) ? readMovieSeconds(path, sizeBytes) : null;
  const captionMarkers = findCaptionMarkers(path, sizeBytes);
  for (const reading of [movieLength, captionMarkers]) reading?.catch(() => undefined);
  const { output: firstJson, exit: firstExit, deadlineSignal } = await runProbe();
  if (firstExit.signal !== null) {
    const message = `ffprobe was ended by ${firstExit.signal} while it read the file.`;
    throw new VencError('UnsupportedInputError', message);
  }
  const { stderr, analysis, ...printed } = await probeFurther(
    { json: firstJson, stderr: firstExit.stderr },
    { path, head, sizeBytes, program, probe: probeAgain },
  );
  const json =
    movieLength !== null
      ? withMovieLength(printed.json, await movieLength)
      : await withHeaderFacts(printed.json, path, head, sizeBytes);
  const probed = parseProbe(json);
  throwIfInterrupted();
  const reading = { settings, signal: deadlineSignal };
  const stills = await findStills(ffprobe, path, json, reading);
  const empty = await findEmptyAudio(ffprobe, path, { json, analysis }, reading);
  throwIfInterrupted();
  const output = { head, sizeBytes, json, stderr, analysis, program, stills, empty };
  const validation = validateProbe(output);
  if ('media' in validation) {
    const media = await withHdr(
      await withClosedCaptions(await withFrameRate(await withFieldOrder(validation.media))),
    );
    const counted = await withStreamFacts(await withCountedDuration(media));
    const measure = () => measureTracks(ffprobe, path, settings, deadlineSignal);
    const corrected = await withCorrectLength(counted, { path, head, sizeBytes, json, measure });
    throwIfInterrupted();
    return corrected;
  }
  const { errorClass } = validation.failure;
  const brokenBoxes =
    errorClass === 'NoMediaError' && isMp4(head) ? await explainBoxes(path, sizeBytes) : null;
  throw new VencError(errorClass, brokenBoxes ?? validation.failure.message, {
    cause: new ProgramMessages(stderr),
  });

  function runProbe(further?: Analysis) {
    return runFfprobe(ffprobe, probeArgs(further), path, {
      settings,
      subject: 'the file',
      timeoutErrorClass: 'TranscodingTimeoutError',
      signal,
    });
  }

  // It needs memory and time for all that is read. If a limit ends it, the tracks that are known are encoded.
  async function probeAgain(further: Analysis) {
    const result = await runProbe(further).catch(() => null);
    if (result === null || result.exit.exitCode !== 0) return null;
    return { json: result.output, stderr: result.exit.stderr };
  }

  // Other facts of the stream depend on the field order, so the probe is validated again.
  async function withFieldOrder(media: MediaFacts): Promise<MediaFacts> {
    const { video, durationSeconds, analysis } = media;
    if (video === null || !mayBeInterlaced(video)) return media;
    const fieldOrder = await detectFieldOrder(
      ffprobe,
      path,
      { video, durationSeconds, ...(analysis && { analysis }) },
      { settings, signal: deadlineSignal },
    );
    throwIfInterrupted();
    const revalidation = validateProbe({ ...output, fieldOrder });
    return 'media' in revalidation ? revalidation.media : media;
  }

  async function withFrameRate(media: MediaFacts): Promise<MediaFacts> {
    const { video } = media;
    if (video === null || !(video.isFrameRateVariable || endsBeforeFile(media))) return media;
    const measured = await measureVariableVideo(ffprobe, path, media, { settings, signal: deadlineSignal });
    throwIfInterrupted();
    if (measured === null) return media;
    const lastFrame = withDeclaredEnd(measured.lastFrame, media);
    const frameRate = video.isFrameRateVariable ? measured.frameRate : video.frameRate;
    const seconds = lastFrame.endSeconds - (video.startSeconds ?? 0);
    const starts = [video.startSeconds ?? 0, media.audio?.startSeconds ?? Number.POSITIVE_INFINITY];
    const fileSeconds = Math.max(media.durationSeconds ?? 0, lastFrame.endSeconds - Math.min(...starts));
    return {
      ...media,
      durationSeconds: fileSeconds > 0 ? fileSeconds : media.durationSeconds,
      video: {
        ...video,
        frameRate,
        lastFrame,
        durationSeconds: seconds > 0 ? seconds : video.durationSeconds,
      },
    };
  }

  // In MP4, only the header of the file may say how long the last frame of its only track is displayed. If that frame
  // was not read, the file is truncated.
  function withDeclaredEnd(
    last: NonNullable<VideoFacts['lastFrame']>,
    { format, video }: MediaFacts,
  ): NonNullable<VideoFacts['lastFrame']> {
    const streams = objectsAt(probed, 'streams');
    const declared = numberAt(objectAt(probed, 'format'), 'duration');
    const { frameRate = null, durationSeconds = null } = video ?? {};
    if (format !== 'mpeg4' || streams.length !== 1 || declared === null || frameRate === null) return last;
    const twoFrames = (2 * frameRate.denominator) / frameRate.numerator;
    const isRead = last.startSeconds + twoFrames >= (durationSeconds ?? 0);
    return isRead && declared > last.endSeconds ? { ...last, endSeconds: declared } : last;
  }

  // In MP4, the duration of a stream lacks a pause before the last frames, if these are decoded before it.
  function endsBeforeFile({ format, durationSeconds }: MediaFacts): boolean {
    const declared = numberAt(objectAt(probed, 'format'), 'duration');
    return (
      format === 'mpeg4' && declared !== null && durationSeconds !== null && durationSeconds < declared - 0.5
    );
  }

  async function withClosedCaptions(media: MediaFacts): Promise<MediaFacts> {
    const { video } = media;
    if (video === null || !captionedCodecs.has(video.codec) || !(await captionMarkers)) return media;
    return { ...media, video: { ...video, hasClosedCaptions: true } };
  }

  async function withHdr(media: MediaFacts): Promise<MediaFacts> {
    const { video } = media;
    if (video === null || !isHighRange(video)) return media;
    const stream = objectsAt(probed, 'streams').find((one) => numberAt(one, 'index') === video.streamIndex);
    const hdr = await readHdr(ffprobe, path, { video, stream: stream ?? {}, analysis }, reading);
    throwIfInterrupted();
    return hdr === null ? media : { ...media, video: { ...video, hdr } };
  }

  // A raw stream has no duration, and ffprobe estimates it from the first bitrate: 2.7 seconds instead of 4 if audio
  // and silence alternate.
  async function withCountedDuration(media: MediaFacts): Promise<MediaFacts> {
    const { audio, video } = media;
    if (video !== null || audio === null || !/Estimating duration from bitrate/.test(stderr)) return media;
    const tracks = await measureTracks(ffprobe, path, settings, deadlineSignal);
    throwIfInterrupted();
    const track = tracks?.get(audio.streamIndex);
    if (track === undefined) return media;
    return withDuration(media, track.endSeconds - track.startSeconds, sizeBytes);
  }

  async function withStreamFacts(media: MediaFacts): Promise<MediaFacts> {
    const { format, video } = media;
    if (format === 'ogg' && video === null)
      return joined(media, await measureChainedOgg(path, deadlineSignal));
    if (format === 'mpeg-ps') return joined(media, await measureJoinedProgramStream(path, deadlineSignal));
    // Several programmes have several clocks, which are no jumps.
    if (format !== 'mpeg-ts' || media.unused?.programs !== undefined) return media;
    const stream = await scanTransportStream(path, deadlineSignal);
    if (stream === null) return media;
    const { joinedSeconds, lossSeconds } = stream;
    return joined(lossSeconds === null ? media : { ...media, lossSeconds }, joinedSeconds);
  }

  function joined(media: MediaFacts, seconds: number | null): MediaFacts {
    throwIfInterrupted();
    return seconds === null ? media : { ...withDuration(media, seconds, sizeBytes), isJoined: true };
  }

  function throwIfInterrupted(): void {
    if (signal?.aborted) throw new VencError('InterruptedError', 'Probing the file was interrupted.');
  }
}

/** The facts of a file with the measured duration. */
function withDuration(media: MediaFacts, seconds: number, sizeBytes: number): MediaFacts {
  const { video, audio, otherAudio } = media;
  return {
    ...media,
    durationSeconds: seconds,
    totalBitrateKbps: Math.round((sizeBytes * 8) / 1000 / seconds),
    video: video === null ? null : { ...video, durationSeconds: seconds },
    audio: audio === null ? null : { ...audio, durationSeconds: seconds },
    ...(otherAudio && { otherAudio: otherAudio.map((one) => ({ ...one, durationSeconds: seconds })) }),
  };
}

/** The codecs whose frames can carry closed captions (ATSC A/53, part 4). */
const captionedCodecs: ReadonlySet<string> = new Set(['mpeg2video', 'h264', 'hevc', 'av1']);

/** What all captions of frames have: the identifier of ATSC and the type of the data. Most files lack it, and the search is fast. */
const identifier = Buffer.from('4741393403', 'hex');

/** The identifier and what precedes it: captions of MPEG-2 are user data, those of the others are registered by ITU-T T.35. */
const markers = ['000001b24741393403', 'b500314741393403'].map((hex) => Buffer.from(hex, 'hex'));

/**
 * How much is read at the start, in the middle and at the end of the file. Captions are in nearly every frame of a
 * video that has some.
 */
const sampleBytes = 1 << 20;

/**
 * Whether a file seems to have video frames with closed captions (CEA-608, CEA-708). ffprobe does not report them for
 * files whose header describes the streams, because it decodes no frame of these.
 */
function findCaptionMarkers(path: string, sizeBytes: number): Promise<boolean> {
  const last = Math.max(0, sizeBytes - sampleBytes);
  return withFile(path, async (file) => {
    const buffer = Buffer.allocUnsafe(Math.min(sampleBytes, sizeBytes));
    for (const position of new Set([0, Math.floor(last / 2), last])) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
      const sample = buffer.subarray(0, bytesRead);
      if (sample.includes(identifier) && markers.some((marker) => sample.includes(marker))) return true;
    }
    return false;
  });
}
