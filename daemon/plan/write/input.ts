import {
  type AudioDecision,
  type Clip,
  type Decision,
  encodedAudio,
  type VideoDecision,
} from '../decide/decisions.js';
import type { PlanPaths } from '../plan-types.js';
import { fileArgument, inputOptions, safeInputArgs, safeInputOptions } from '../safe-input.js';

/**
 * Options of the decoder for a codec (null for none). With several threads ffmpeg's decoder for Theora and VP3 corrupts
 * colours: a grey video of 64x64 came out partly green in 5 of 40 decodings with builds of 2018, and in one of 8 with
 * 5.1.
 */
export function decoderArgs(codec: string | null): readonly string[] {
  return codec !== null && /^(?:theora|vp[34])$/.test(codec) ? ['-threads', '1'] : [];
}

type InputVideo = Pick<VideoDecision, 'streamIndex' | 'inputCodec' | 'inputDecoder' | 'firstFrame'>;

/**
 * The input and its options. The clip starts by seeking before `-i`: ffmpeg starts at the preceding keyframe and drops
 * the frames before the requested time. This is exact to the frame, and a clip from the end of a long file costs no
 * more than one from its start. Filters rotate the video, because the automatic rotation of ffmpeg comes before
 * deinterlacing and destroys the fields.
 */
export function inputArgs(
  { input, analysis, reorderSeconds }: Pick<PlanPaths, 'input' | 'analysis' | 'reorderSeconds'>,
  clip: Clip,
  video: InputVideo | null,
): readonly string[] {
  return [
    ...inputOptions(analysis),
    ...decoderArgs(video?.inputCodec ?? null),
    ...(video === null || video.inputDecoder === null ? [] : [`-c:${video.streamIndex}`, video.inputDecoder]),
    '-noautorotate',
    // Filters that count from the start cannot follow a change of the audio, which fails the run: see `conversionOf`.
    ...['-reinit_filter:a', '0'],
    ...(video === null || video.firstFrame === null ? [] : ['-reinit_filter:v', '0']),
    // Without this, the only track of the output would begin with a gap.
    ...(video === null || reorderSeconds === undefined || clip.startSeconds > 0
      ? []
      : ['-itsoffset', `-${secondsArgument(reorderSeconds)}`]),
    ...(clip.readFromSeconds > 0 ? ['-ss', secondsArgument(clip.readFromSeconds)] : []),
    '-i',
    fileArgument(input),
  ];
}

/** The arguments of the run that repacks the audio of an input without decoding it: see `decideRepack`. */
export function repackArgs(decision: Decision, audio: AudioDecision, paths: PlanPaths): readonly string[] {
  return [
    '-y',
    ...safeInputArgs(paths.input, paths.analysis),
    ...['-map', `0:${audio.streamIndex}`, '-c:a', 'copy', '-map_metadata', '-1'],
    ...['-f', 'amr', fileArgument(repackedFile(decision, audio.streamIndex, paths))],
  ];
}

/** A stream of audio, and whether it is read from a file of its own. */
type AudioSource = Pick<AudioDecision, 'streamIndex' | 'converted' | 'repack'>;

/** The streams that a track of audio is made from. */
function audioSourcesOf(audio: AudioDecision): readonly AudioSource[] {
  return audio.joined?.channels.map(({ track }) => ({ ...track, repack: null })) ?? [audio];
}

/** The file of a track of audio if it was repacked or converted; otherwise null. */
export function audioFileOf(
  decision: Decision,
  { converted, repack, streamIndex }: AudioSource,
  paths: PlanPaths,
): string | null {
  if (converted !== undefined) return converted.path;
  return repack === null ? null : repackedFile(decision, streamIndex, paths);
}

/** The file of a track of audio as a separate input, at its original times; null if it has none. */
export function audioFileArgs(
  decision: Decision,
  audio: AudioSource,
  paths: PlanPaths,
): readonly string[] | null {
  const { repack, converted } = audio;
  const file = audioFileOf(decision, audio, paths);
  const offsetSeconds = converted?.parts[0].seconds ?? repack?.offsetSeconds;
  if (file === null || offsetSeconds === undefined) return null;
  return [...safeInputOptions, ...seekArgs(decision.clip, offsetSeconds), '-i', fileArgument(file)];
}

/** The files of the audio of outputs as separate inputs, each once, and where each track is then found. */
export function audioInputs(
  decisions: readonly Decision[],
  paths: PlanPaths,
): {
  readonly args: readonly (readonly string[])[];
  /** The tracks of an output, as `-map` names them. */
  readonly streamsOf: (decision: Decision) => readonly string[];
  /** A stream that a track of an output is made from. */
  readonly streamOf: (decision: Decision, source: AudioSource) => string;
} {
  const files = new Map<string, readonly string[]>();
  for (const decision of decisions) {
    for (const audio of encodedAudio(decision).flatMap(audioSourcesOf)) {
      const [path, args] = [audioFileOf(decision, audio, paths), audioFileArgs(decision, audio, paths)];
      if (path !== null && args !== null) files.set(path, args);
    }
  }
  const numbers = [...files.keys()];
  const streamOf = (decision: Decision, source: AudioSource) => {
    const path = audioFileOf(decision, source, paths);
    return path === null ? `0:${source.streamIndex}` : `${1 + numbers.indexOf(path)}:0`;
  };
  return {
    args: [...files.values()],
    streamsOf: (decision) =>
      decision.audio.map(({ source, encoding }) => {
        if (encoding === null) return `0:${source.streamIndex}`;
        return encoding.joined === undefined ? streamOf(decision, encoding) : joinedLabel;
      }),
    streamOf,
  };
}

function seekArgs({ readFromSeconds }: Clip, offsetSeconds: number): readonly string[] {
  const delaySeconds = offsetSeconds - readFromSeconds;
  if (delaySeconds < 0) return ['-ss', secondsArgument(-delaySeconds)];
  return delaySeconds > 0 ? ['-itsoffset', secondsArgument(delaySeconds)] : [];
}

function repackedFile({ outputId }: Decision, streamIndex: number, { scratch }: PlanPaths): string {
  return `${scratch}/audio-${outputId}-${streamIndex}.amr`;
}

/** The label of a track that a filter graph puts together. An output has one at most. */
export const joinedLabel = '[a]';

/** Formats seconds for ffmpeg: decimal, to the microsecond, without an exponent. */
export function secondsArgument(seconds: number): string {
  return seconds.toFixed(6).replace(/\.?0+$/, '');
}
