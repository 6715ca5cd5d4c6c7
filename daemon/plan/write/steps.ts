import type { Decision, Picture } from '../decide/decisions.js';
import { type VideoEncoder, videoEncoders } from '../encoders.js';
import { firstPassShare } from '../first-pass.js';
import type { Abilities, PlanPaths, Step } from '../plan-types.js';
import { fileArgument } from '../safe-input.js';
import { audioArgs } from './audio.js';
import { pictureGraph, pictureLabel } from './filters.js';
import { inputArgs } from './input.js';
import { repackArgs, repackedInputArgs } from './repack.js';
import { secondsArgument } from './seconds.js';
import { type Pass, videoArgs } from './video.js';
import { watermarkInputArgs } from './watermarks.js';

/** Share of packing the sound anew: it is only read and written. */
const repackShare = 0.02;

/** The runs of ffmpeg that make one output, in their order. */
export function stepsFor(decision: Decision, paths: PlanPaths, abilities: Abilities): readonly Step[] {
  const { picture, sound, outputId, clip } = decision;
  const step = (share: number, args: readonly string[]): Step => ({
    outputIds: [outputId],
    args,
    durationSeconds: clip.expectedSeconds,
    share,
  });
  const encode = (pass: Pass | null) => encodeArgs(decision, paths, pass, abilities);
  const mustRepack = sound !== null && sound.repack !== null;
  const before = mustRepack ? [step(repackShare, repackArgs(decision, sound, paths))] : [];
  const left = mustRepack ? 1 - repackShare : 1;
  if (picture === null || !isInTwoPasses(picture)) return [...before, step(left, encode(null))];
  const logName = `passes-${outputId}`;
  const first = firstPassShare(picture.encoder, picture.speed);
  const passes = { log: `${paths.scratch}/${logName}`, logName };
  return [
    ...before,
    step(left * first, encode({ number: 1, ...passes })),
    step(left * (1 - first), encode({ number: 2, ...passes })),
  ];
}

/** The file that the steps of an output leave. */
export function productPath(decision: Decision, paths: PlanPaths): string {
  return `${paths.scratch}/output-${decision.outputId}${decision.extension}`;
}

function isInTwoPasses({ rate, encoder }: Picture): boolean {
  const { passes }: VideoEncoder = videoEncoders[encoder];
  return rate.by === 'bitrate' && rate.passes === 2 && passes !== 'none';
}

function encodeArgs(
  decision: Decision,
  paths: PlanPaths,
  pass: Pass | null,
  abilities: Abilities,
): readonly string[] {
  const { picture, clip, container } = decision;
  const isFirst = pass?.number === 1;
  const skipSeconds = clip.startSeconds - clip.readFromSeconds;
  const sound = isFirst ? null : decision.sound;
  const repack = sound?.repack ?? null;
  // After the input, and after the sound that was packed anew.
  const firstWatermark = repack === null ? 1 : 2;
  return [
    '-y',
    ...inputArgs(paths.input, clip),
    ...(repack === null ? [] : repackedInputArgs(decision, repack.offsetSeconds, paths)),
    ...(picture === null ? [] : watermarkInputArgs(picture.watermarks)),
    ...(picture === null
      ? []
      : ['-filter_complex', pictureGraph(picture, abilities, firstWatermark, skipSeconds)]),
    ...(picture === null ? [] : ['-map', pictureLabel]),
    ...(sound === null ? [] : ['-map', repack === null ? `0:${sound.streamIndex}` : '1:0']),
    ...(picture === null ? [] : videoArgs(picture, container, pass, abilities)),
    ...(sound === null ? [] : audioArgs(sound)),
    ...(skipSeconds > 0 ? ['-ss', secondsArgument(skipSeconds)] : []),
    ...(clip.lengthSeconds === null ? [] : ['-t', secondsArgument(clip.lengthSeconds)]),
    ...(isFirst ? firstPassOutput : fileOutput(decision, paths)),
  ];
}

const firstPassOutput = ['-f', 'null', '-'] as const;

function fileOutput(decision: Decision, paths: PlanPaths): readonly string[] {
  const { muxer, hasIndex = false } = decision.container;
  return [
    // Places and owners that cameras note down are nobody else's business, and chapters would become a stream of their own.
    ...['-map_metadata', '-1', '-map_chapters', '-1'],
    // While a slow picture is still awaited, sound is kept back: the 128 packets of older builds are soon full.
    ...['-max_muxing_queue_size', '16384'],
    ...(hasIndex ? ['-movflags', '+faststart'] : []),
    ...['-f', muxer, fileArgument(productPath(decision, paths))],
  ];
}
