import type { Clip, VideoDecision } from '../decide/decisions.js';
import { fileArgument, safeInputOptions } from '../safe-input.js';
import { secondsArgument } from './seconds.js';

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
