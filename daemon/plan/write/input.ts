import type { AudioDecision, Clip, Decision, VideoDecision } from '../decide/decisions.js';
import type { PlanPaths } from '../plan-types.js';
import { fileArgument, safeInputArgs, safeInputOptions } from '../safe-input.js';

/**
 * Options of the decoder, by its codec (null for none). ffmpeg's for Theora and VP3 loses the colours of pictures where it decodes several at once: a grey
 * film of 64x64 came out partly green in 5 decodings of 40 with builds of 2018, and in one of 8 with 5.1.
 */
export function decoderArgs(codec: string | null): readonly string[] {
  return codec !== null && /^(?:theora|vp[34])$/.test(codec) ? ['-threads', '1'] : [];
}

type InputVideo = Pick<VideoDecision, 'streamIndex' | 'inputCodec' | 'inputDecoder'>;

/**
 * The input and its options. The clip begins by seeking before `-i`: ffmpeg then starts at the keyframe before and throws away
 * what comes before the asked time, so that it is exact to the frame and a clip from the end of a long file costs no more than
 * one from its beginning. It is kept upright by the filters, not by ffmpeg itself, which would turn the picture before its
 * fields are made frames, and so tear them.
 */
export function inputArgs(path: string, clip: Clip, video: InputVideo | null): readonly string[] {
  return [
    ...safeInputOptions,
    ...decoderArgs(video?.inputCodec ?? null),
    ...(video === null || video.inputDecoder === null ? [] : [`-c:${video.streamIndex}`, video.inputDecoder]),
    '-noautorotate',
    ...(clip.readFromSeconds > 0 ? ['-ss', secondsArgument(clip.readFromSeconds)] : []),
    '-i',
    fileArgument(path),
  ];
}

/** The run that packs the sound of an input anew, without decoding it: see `decideRepack`. */
export function repackArgs(decision: Decision, audio: AudioDecision, paths: PlanPaths): readonly string[] {
  return [
    '-y',
    ...safeInputArgs(paths.input),
    ...['-map', `0:${audio.streamIndex}`, '-c:a', 'copy', '-map_metadata', '-1'],
    ...['-f', 'amr', repackedFile(decision, paths)],
  ];
}

/** What that run left, as an input of its own: brought back to the times it had in the first one. */
export function repackedInputArgs(
  decision: Decision,
  offsetSeconds: number,
  paths: PlanPaths,
): readonly string[] {
  return [
    ...safeInputOptions,
    ...seekArgs(decision.clip, offsetSeconds),
    '-i',
    repackedFile(decision, paths),
  ];
}

function seekArgs({ readFromSeconds }: Clip, offsetSeconds: number): readonly string[] {
  const delaySeconds = offsetSeconds - readFromSeconds;
  if (delaySeconds < 0) return ['-ss', secondsArgument(-delaySeconds)];
  return delaySeconds > 0 ? ['-itsoffset', secondsArgument(delaySeconds)] : [];
}

function repackedFile({ outputId }: Decision, { scratch }: PlanPaths): string {
  return fileArgument(`${scratch}/sound-${outputId}.amr`);
}

/** Seconds as ffmpeg reads them: decimal, to the microsecond, without an exponent. */
export function secondsArgument(seconds: number): string {
  return seconds.toFixed(6).replace(/\.?0+$/, '');
}
