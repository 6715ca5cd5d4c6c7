import type { Decision } from '../decide/decisions.js';
import type { Abilities } from '../plan-types.js';
import { fileArgument } from '../safe-input.js';
import { audioArgs } from './audio.js';
import type { Skip } from './filters.js';
import { secondsArgument } from './seconds.js';
import { lastFrameArgs } from './timing.js';
import { type Pass, videoArgs } from './video.js';

/** Where in a run of ffmpeg the streams of an output come from, as `-map` names them. Null for what it has not. */
export interface Streams {
  readonly picture: string | null;
  readonly sound: string | null;
}

/** One file of a run and all that is told of it: its streams, their encoders, its part of the time, its container. */
export function outputArgs(
  decision: Decision,
  streams: Streams,
  pass: Pass | null,
  path: string,
  abilities: Abilities,
): readonly string[] {
  const { picture, sound, clip, container } = decision;
  return [
    ...(streams.picture === null ? [] : ['-map', streams.picture]),
    ...(streams.sound === null ? [] : ['-map', streams.sound]),
    ...(picture === null ? [] : videoArgs(picture, container, pass, abilities)),
    ...(pass?.number === 1 ? [] : lastFrameArgs(decision.lastFrame, abilities)),
    ...(sound === null || streams.sound === null
      ? []
      : pass?.number === 1
        ? placeholder
        : audioArgs(sound, abilities)),
    ...(skipOf(decision).seconds > 0 ? ['-ss', secondsArgument(skipOf(decision).seconds)] : []),
    ...(clip.lengthSeconds === null ? [] : ['-t', secondsArgument(clip.lengthSeconds)]),
    ...(pass?.number === 1 ? firstPassFile : fileArgs(decision, path, abilities)),
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
  { container: { muxer, hasIndex = false }, picture }: Decision,
  path: string,
  { hasFpsMode: isNew }: Abilities,
): readonly string[] {
  // Builds of 2018 tell a film's colours in the container only so.
  const colours = isNew || picture === null ? '' : '+write_colr';
  return [
    // Places and owners that cameras note down are nobody else's business, and chapters would become a stream of their own.
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    ...room,
    ...(hasIndex ? ['-movflags', `+faststart${colours}`] : []),
    ...['-f', muxer, fileArgument(path)],
  ];
}
