import { type AudioTrack, copiesStreams, type Decision } from '../decide/decisions.js';
import { isMatroska } from '../formats.js';
import type { Capabilities } from '../plan-types.js';
import { fileArgument } from '../safe-input.js';
import { attachedArgs, forFilm, videoTimecodeOf } from './attached.js';
import { audioArgs } from './audio.js';
import { captionTrackArgs, languageIn, titleTagOf } from './captions.js';
import type { Skip } from './filters.js';
import { secondsArgument } from './input.js';
import { frameDurationArgs, lastFrameArgs } from './timing.js';
import { type Pass, videoArgs } from './video.js';

/** The sources of the streams of an output in a run of ffmpeg, as `-map` names them. Null for a missing stream. */
interface Streams {
  readonly video: string | null;
  /** The tracks of audio, in order. */
  readonly audio: readonly string[];
  /** The caption tracks, in order. */
  readonly captions: readonly string[];
  /** The cover images, and then the files, in order. */
  readonly attached: readonly string[];
  /** The number of the input with the tags and chapters. */
  readonly metadata: number | null;
}

/** The arguments for one output file of a run: streams, encoders, part of the timeline, container. */
export function outputArgs(
  decision: Decision,
  streams: Streams,
  pass: Pass | null,
  path: string,
  capabilities: Capabilities,
): readonly string[] {
  const { video, clip, container } = decision;
  return [
    ...(streams.video === null ? [] : ['-map', streams.video]),
    ...streams.audio.flatMap((stream) => ['-map', stream]),
    ...[...streams.captions, ...streams.attached].flatMap((stream) => ['-map', stream]),
    ...forFilm(
      [
        ...copiedVideoArgs(decision),
        ...(video === null ? [] : videoArgs(video, container, pass, capabilities)),
        ...(pass?.number === 1 ? [] : lastFrameArgs(decision.lastFrame, capabilities)),
        ...(video === null || pass?.number === 1 || !isMp4(decision)
          ? []
          : frameDurationArgs(video, capabilities)),
      ],
      decision,
    ),
    ...(streams.audio.length === 0
      ? []
      : pass?.number === 1
        ? placeholder
        : decision.audio.flatMap((track, index, { length }) =>
            forTrack(trackArgs(track, decision, capabilities), length === 1 ? null : index),
          )),
    ...(streams.captions.length === 0 ? [] : captionTrackArgs(decision)),
    ...attachedArgs(decision, streams.video !== null),
    ...(skipOf(decision).seconds > 0 ? ['-ss', secondsArgument(skipOf(decision).seconds)] : []),
    ...(clip.lengthSeconds === null ? [] : ['-t', secondsArgument(clip.lengthSeconds)]),
    ...(pass?.number === 1 ? firstPassFile : fileArgs(decision, streams.metadata, path, capabilities)),
  ];
}

/** The arguments for video that is copied. A copied clip starts at time 0, also if its first keyframe is before it. */
function copiedVideoArgs({ copiedVideo, clip, container }: Decision): readonly string[] {
  if (copiedVideo === undefined) return [];
  const { source, repeatsParameterSets, dropsTimecode = false, tag } = copiedVideo;
  return [
    ...['-c:v', 'copy', ...(tag === undefined ? [] : ['-tag:v', tag])],
    ...(dropsTimecode ? ['-metadata:s:v:0', 'timecode='] : []),
    // Without this tag, players ignore the alpha channel that VP8 and VP9 have outside of their frames.
    ...(source.hasAlpha === true && /^vp[89]$/.test(source.codec) && isMatroska(container)
      ? ['-metadata:s:v:0', 'alpha_mode=1']
      : []),
    ...(repeatsParameterSets ? ['-bsf:v', parameterSetFilters(source.codec)] : []),
    ...(clip.startSeconds === 0 ? [] : ['-avoid_negative_ts', 'make_zero']),
  ];
}

/** The arguments for a track of audio: how it is encoded or copied. */
function trackArgs(
  { encoding, stripsAdts }: AudioTrack,
  decision: Decision,
  capabilities: Capabilities,
): readonly string[] {
  if (encoding !== null) return audioArgs(encoding, capabilities, skipOf(decision).seconds);
  return ['-c:a', 'copy', ...(stripsAdts === true ? ['-bsf:a', 'aac_adtstoasc'] : [])];
}

/** Options of all audio as those of one track, by its index; unchanged if it is the only one (null). */
function forTrack(args: readonly string[], index: number | null): readonly string[] {
  if (index === null) return args;
  return args.map((arg, at) =>
    at % 2 === 1 ? arg : `${arg === '-af' ? '-filter' : arg.replace(/:a$/, '')}:a:${index}`,
  );
}

/** What a file declares about its video. */
function videoLabelArgs(decision: Decision): readonly string[] {
  const { videoLabels: { language, title, stereo3d = '' } = {}, container, copiedVideo } = decision;
  const timecode = videoTimecodeOf(decision);
  return [
    ...(timecode === null ? [] : ['-metadata:s:v:0', `timecode=${timecode}`]),
    ...(language === undefined ? [] : ['-metadata:s:v:0', `language=${languageIn(container, language)}`]),
    ...(title === undefined ? [] : ['-metadata:s:v:0', `${titleTagOf(container)}=${title}`]),
    // ffmpeg 7.0 otherwise loses it behind a graph of filters.
    ...(copiedVideo === undefined && isMatroska(container) && Object.hasOwn(stereoModes, stereo3d)
      ? ['-metadata:s:v:0', `stereo_mode=${stereoModes[stereo3d]}`]
      : []),
  ];
}

/** The names of Matroska for arrangements of two views. */
const stereoModes: Readonly<Record<string, string>> = {
  ...{ 'side by side': 'left_right', 'side by side, inverted': 'right_left' },
  ...{ 'top and bottom': 'top_bottom', 'top and bottom, inverted': 'bottom_top' },
};

/** What a file declares about its audio. ffmpeg copies the dispositions of a single track itself. */
function audioLabelArgs({ audio, container }: Decision): readonly string[] {
  const titleTag = titleTagOf(container);
  return audio.flatMap(({ language, title, dispositions }, index) => [
    ...(language === null ? [] : [`-metadata:s:a:${index}`, `language=${languageIn(container, language)}`]),
    ...(title === null ? [] : [`-metadata:s:a:${index}`, `${titleTag}=${title}`]),
    ...(dispositions === null ? [] : [`-disposition:a:${index}`, dispositions.join('+') || '0']),
  ]);
}

/**
 * Puts the parameter sets in front of all that needs them in a keyframe. By default ffmpeg puts them in front of the
 * slices, behind the buffering period that x264 and x265 write for a constant bitrate, and strict decoders reject that.
 * An access unit delimiter in the input would follow them; the muxer writes another one in front.
 */
function parameterSetFilters(codec: string): string {
  const delimiter = codec === 'hevc' ? 35 : 9;
  return `${codec}_mp4toannexb,filter_units=remove_types=${delimiter},dump_extra`;
}

/** The part of the input that is read before the clip. */
export function skipOf({ clip: { startSeconds, readFromSeconds, startsInFrame } }: Decision): Skip {
  return { readFromSeconds, seconds: startSeconds - readFromSeconds, startsInFrame };
}

// Audio is buffered until the first video packet. The limit of 128 packets in older builds is too low for slow video.
const muxQueueOption = ['-max_muxing_queue_size', '16384'] as const;

/** The audio of a first pass, present only to keep the stream numbers: see `groupSteps`. */
const placeholder = ['-c:a', 'copy', ...muxQueueOption] as const;

const firstPassFile = ['-f', 'null', '-'] as const;

function isMp4({ container: { hasIndex = false }, packaging }: Decision): boolean {
  return hasIndex || packaging?.container === 'fmp4';
}

/** About two frames of AAC at 128 kbit/s. Packets of one frame would add 5 % to a rendition with a low bitrate. */
const audioPacketBytes = 800;

function fileArgs(
  decision: Decision,
  metadata: number | null,
  path: string,
  { hasFpsMode: isNew }: Capabilities,
): readonly string[] {
  const { video, copiedVideo, audio, hasHintTracks = false, packaging, clip, indexBytes } = decision;
  const { stereo3d, projection } = decision.videoLabels ?? {};
  const hasUnofficial =
    copiedVideo?.hasDolbyVision === true ||
    (isMp4(decision) && (stereo3d !== undefined || projection !== undefined));
  const hasCopiedOpus = audio.some(({ encoding, source }) => encoding === null && source.codec === 'opus');
  const { muxer, hasIndex = false } = decision.container;
  const hasVideo = video !== null || copiedVideo !== undefined;
  const hasAudio = audio.length > 0;
  const flags = [
    ...(hasIndex && indexBytes === null ? ['+faststart'] : []),
    // Builds of 2018 store colours in the container only with this flag.
    ...(isMp4(decision) && !isNew && video !== null ? ['+write_colr'] : []),
    ...(hasHintTracks ? ['+rtphint'] : []),
  ].join('');
  return [
    // Not those of the input itself: `decideMetadata` chooses them.
    ...['-map_metadata', String(metadata ?? -1), '-map_chapters', String(metadata ?? -1)],
    // ffmpeg would copy the tags of tracks, with statistics that are wrong for an encoded track.
    ...(metadata === null ? [] : ['-map_metadata:s', '-1']),
    ...videoLabelArgs(decision),
    ...audioLabelArgs(decision),
    ...muxQueueOption,
    ...(flags === '' ? [] : ['-movflags', flags]),
    ...(indexBytes === null ? [] : ['-moov_size', String(indexBytes)]),
    // By default ffmpeg does not write Dolby Vision, stereo 3D and projections into MP4, and builds of 2018 no copies of
    // Opus.
    ...(hasCopiedOpus || (hasUnofficial && !isNew)
      ? ['-strict', 'experimental']
      : hasUnofficial
        ? ['-strict', 'unofficial']
        : []),
    // Decoding times before the first frame would move the rendition: by 23 ms for AAC, and by 80 ms for two B-frames
    // at 25 per second. The muxer adds 1.4 s, so none becomes negative. A copied clip may begin long before its start.
    ...(packaging?.container !== 'ts' || (copiesStreams(decision) && clip.startSeconds > 0)
      ? []
      : ['-avoid_negative_ts', 'disabled']),
    // Encoders return frames of slow video long after they were read. Without this, the muxer writes up to that time
    // only audio, so that players and ffprobe find no video.
    ...(muxer === 'mpegts' && hasVideo && hasAudio ? ['-max_interleave_delta', '0'] : []),
    // Segments can be cut only between packets of audio, which by default have up to 0.35 s of it. The audio of a
    // segment would begin that much before its video, and hls.js reports such a segment as an error
    // (bufferAppendNoProgress) when it loads it again.
    ...(packaging?.container === 'ts' && hasAudio ? ['-pes_payload_size', String(audioPacketBytes)] : []),
    // Only frames: players would take the header of a file for one.
    ...(packaging?.container === 'mp3' ? ['-write_xing', '0', '-id3v2_version', '0'] : []),
    ...['-f', muxer, fileArgument(path)],
  ];
}
