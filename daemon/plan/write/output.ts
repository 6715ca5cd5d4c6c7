import type { Decision } from '../decide/decisions.js';
import type { Capabilities } from '../plan-types.js';
import { fileArgument } from '../safe-input.js';
import { audioArgs } from './audio.js';
import { captionTrackArgs } from './captions.js';
import type { Skip } from './filters.js';
import { secondsArgument } from './input.js';
import { lastFrameArgs } from './timing.js';
import { type Pass, videoArgs } from './video.js';

/** The sources of the streams of an output in a run of ffmpeg, as `-map` names them. Null for a missing stream. */
export interface Streams {
  readonly video: string | null;
  readonly audio: string | null;
  /** The caption tracks, in order. */
  readonly captions: readonly string[];
}

/** The arguments for one output file of a run: streams, encoders, part of the timeline, container. */
export function outputArgs(
  decision: Decision,
  streams: Streams,
  pass: Pass | null,
  path: string,
  capabilities: Capabilities,
): readonly string[] {
  const { video, audio, clip, container } = decision;
  return [
    ...(streams.video === null ? [] : ['-map', streams.video]),
    ...(streams.audio === null ? [] : ['-map', streams.audio]),
    ...streams.captions.flatMap((stream) => ['-map', stream]),
    ...copyArgs(decision, streams),
    ...(video === null ? [] : videoArgs(video, container, pass, capabilities)),
    ...(pass?.number === 1 ? [] : lastFrameArgs(decision.lastFrame, capabilities)),
    ...(audio === null || streams.audio === null
      ? []
      : pass?.number === 1
        ? placeholder
        : audioArgs(audio, capabilities, skipOf(decision).seconds)),
    ...(streams.captions.length === 0 ? [] : captionTrackArgs(decision)),
    ...(skipOf(decision).seconds > 0 ? ['-ss', secondsArgument(skipOf(decision).seconds)] : []),
    ...(clip.lengthSeconds === null ? [] : ['-t', secondsArgument(clip.lengthSeconds)]),
    ...(pass?.number === 1 ? firstPassFile : fileArgs(decision, path, capabilities)),
  ];
}

/** The arguments for the streams that are copied. A copied clip starts at time 0, also if its first keyframe is before its start. */
function copyArgs({ copies, clip, container }: Decision, streams: Streams): readonly string[] {
  if (copies === undefined) return [];
  const { video, audio, stripsAdts } = copies;
  const isHevcInMp4 = video?.codec === 'hevc' && (container.needsHvc1Tag ?? false);
  return [
    ...(video === null ? [] : ['-c:v', 'copy', ...(isHevcInMp4 ? ['-tag:v', 'hvc1'] : [])]),
    ...(audio === null || streams.audio === null ? [] : ['-c:a', 'copy']),
    ...(stripsAdts && streams.audio !== null ? ['-bsf:a', 'aac_adtstoasc'] : []),
    ...(video === null || clip.startSeconds === 0 ? [] : ['-avoid_negative_ts', 'make_zero']),
  ];
}

/** The part of the input that is read before the clip. */
export function skipOf({ clip: { startSeconds, readFromSeconds, startsInFrame } }: Decision): Skip {
  return { seconds: startSeconds - readFromSeconds, startsInFrame };
}

// Audio is buffered until the first video packet. The limit of 128 packets in older builds is too low for slow video.
const muxQueueOption = ['-max_muxing_queue_size', '16384'] as const;

/** The audio of a first pass, present only to keep the stream numbers: see `groupSteps`. */
const placeholder = ['-c:a', 'copy', ...muxQueueOption] as const;

const firstPassFile = ['-f', 'null', '-'] as const;

/** About two frames of AAC. Smaller packets would make the segments of audio much larger. */
const audioPacketBytes = 800;

function fileArgs(
  {
    container: { muxer, hasIndex = false },
    video,
    audio,
    language,
    hasHintTracks = false,
    packaging,
    copies,
    clip,
  }: Decision,
  path: string,
  { hasFpsMode: isNew }: Capabilities,
): readonly string[] {
  const hasVideo = video !== null || copies?.video != null;
  const hasAudio = audio !== null || copies?.audio != null;
  const isMp4 = hasIndex || packaging?.container === 'fmp4';
  const flags = [
    ...(hasIndex ? ['+faststart'] : []),
    // Builds of 2018 store colours in the container only with this flag.
    ...(isMp4 && !isNew && video !== null ? ['+write_colr'] : []),
    ...(hasHintTracks ? ['+rtphint'] : []),
  ].join('');
  return [
    // Cameras store locations and owners, which are private. Chapters would become a separate stream.
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...(language === null ? [] : ['-metadata:s:a:0', `language=${language}`]),
    ...muxQueueOption,
    ...(flags === '' ? [] : ['-movflags', flags]),
    // Decoding times before the first frame would move the rendition: by 23 ms for AAC, and by 80 ms for two B-frames at 25 per second.
    // The muxer adds 1.4 s, so none becomes negative. A copied clip may begin long before its start.
    ...(packaging?.container !== 'ts' || (copies !== undefined && clip.startSeconds > 0)
      ? []
      : ['-avoid_negative_ts', 'disabled']),
    // Encoders return frames of slow video long after they were read. Without this, the muxer writes up to that time only audio, so that players
    // and ffprobe find no video.
    ...(muxer === 'mpegts' && hasVideo && hasAudio ? ['-max_interleave_delta', '0'] : []),
    // Segments of audio can begin only with a packet, which has by default up to half a second of it.
    ...(packaging?.container === 'ts' && !hasVideo ? ['-pes_payload_size', String(audioPacketBytes)] : []),
    // Only frames: players would take the header of a file for one.
    ...(packaging?.container === 'mp3' ? ['-write_xing', '0', '-id3v2_version', '0'] : []),
    ...['-f', muxer, fileArgument(path)],
  ];
}
