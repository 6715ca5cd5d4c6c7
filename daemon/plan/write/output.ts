import type { Decision } from '../decide/decisions.js';
import type { Capabilities } from '../plan-types.js';
import { fileArgument } from '../safe-input.js';
import { audioArgs } from './audio.js';
import type { Skip } from './filters.js';
import { secondsArgument } from './input.js';
import { lastFrameArgs } from './timing.js';
import { type Pass, videoArgs } from './video.js';

/** Where in a run of ffmpeg the streams of an output come from, as `-map` names them. Null for what it has not. */
export interface Streams {
  readonly video: string | null;
  readonly audio: string | null;
}

/** One file of a run and all that is told of it: its streams, their encoders, its part of the time, its container. */
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
    ...(video === null ? [] : videoArgs(video, container, pass, capabilities)),
    ...(pass?.number === 1 ? [] : lastFrameArgs(decision.lastFrame, capabilities)),
    ...(audio === null || streams.audio === null
      ? []
      : pass?.number === 1
        ? placeholder
        : audioArgs(audio, capabilities)),
    ...(skipOf(decision).seconds > 0 ? ['-ss', secondsArgument(skipOf(decision).seconds)] : []),
    ...(clip.lengthSeconds === null ? [] : ['-t', secondsArgument(clip.lengthSeconds)]),
    ...(pass?.number === 1 ? firstPassFile : fileArgs(decision, path, capabilities)),
  ];
}

/** What stands before the clip in what is read. */
export function skipOf({ clip: { startSeconds, readFromSeconds, startsInFrame } }: Decision): Skip {
  return { seconds: startSeconds - readFromSeconds, startsInFrame };
}

// While a slow picture is still awaited, sound is kept back: the 128 packets of older builds are soon full.
const room = ['-max_muxing_queue_size', '16384'] as const;

/** Sound of a first pass that stands there for its number alone: see `groupSteps`. */
const placeholder = ['-c:a', 'copy', ...room] as const;

const firstPassFile = ['-f', 'null', '-'] as const;

function fileArgs(
  { container: { muxer, hasIndex = false }, video }: Decision,
  path: string,
  { hasFpsMode: isNew }: Capabilities,
): readonly string[] {
  // Builds of 2018 tell a film's colours in the container only so.
  const colours = isNew || video === null ? '' : '+write_colr';
  return [
    // Places and owners that cameras note down are nobody else's business, and chapters would become a stream of their own.
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...room,
    ...(hasIndex ? ['-movflags', `+faststart${colours}`] : []),
    ...['-f', muxer, fileArgument(path)],
  ];
}
