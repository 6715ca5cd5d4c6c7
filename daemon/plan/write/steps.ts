import type { Decision, Picture } from '../decide/decisions.js';
import { type VideoEncoder, videoEncoders } from '../encoders.js';
import { firstPassShare, heldFrames } from '../first-pass.js';
import type { Abilities, PlanPaths, Step } from '../plan-types.js';
import { pictureGraph, pictureLabel } from './filters.js';
import { inputArgs } from './input.js';
import { outputArgs, skipOf } from './output.js';
import { repackArgs, repackedInputArgs } from './repack.js';
import type { Pass } from './video.js';
import { watermarkInputArgs } from './watermarks.js';

/** Share of packing the sound anew: it is only read and written. */
const repackShare = 0.02;

/** The runs of ffmpeg that make one output, in their order. */
export function stepsFor(decision: Decision, paths: PlanPaths, abilities: Abilities): readonly Step[] {
  const { picture, sound, outputId, clip } = decision;
  const step = (share: number, args: readonly string[], held = 0): Step => ({
    outputIds: [outputId],
    args,
    durationSeconds: clip.expectedSeconds,
    share,
    heldFrames: held,
  });
  const encode = (pass: Pass | null) => encodeArgs(decision, paths, pass, abilities);
  const mustRepack = sound !== null && sound.repack !== null;
  const before = mustRepack ? [step(repackShare, repackArgs(decision, sound, paths))] : [];
  const left = mustRepack ? 1 - repackShare : 1;
  const held = picture === null || sound === null ? 0 : heldFrames(picture.encoder, picture.speed);
  if (picture === null || !isInTwoPasses(picture)) return [...before, step(left, encode(null), held)];
  const logName = `passes-${outputId}`;
  const first = firstPassShare(picture.encoder, picture.speed);
  const passes = { log: `${paths.scratch}/${logName}`, logName };
  return [
    ...before,
    step(left * first, encode({ number: 1, ...passes })),
    step(left * (1 - first), encode({ number: 2, ...passes }), held),
  ];
}

/** The file that the steps of an output leave. */
export function productPath(decision: Decision, paths: PlanPaths): string {
  const { outputId, extension } = decision;
  return paths.files?.get(outputId) ?? `${paths.scratch}/output-${outputId}${extension}`;
}

/** Whether the bitrate or the quality of a picture is met by looking at all of it first. */
export function isInTwoPasses({ rate, encoder }: Picture): boolean {
  const { passes }: VideoEncoder = videoEncoders[encoder];
  return rate.passes === 2 && passes !== 'none';
}

function encodeArgs(
  decision: Decision,
  paths: PlanPaths,
  pass: Pass | null,
  abilities: Abilities,
): readonly string[] {
  const { picture, clip } = decision;
  const sound = pass?.number === 1 ? null : decision.sound;
  const repack = sound?.repack ?? null;
  // After the input, and after the sound that was packed anew.
  const firstWatermark = repack === null ? 1 : 2;
  const graph = (of: Picture) => pictureGraph(of, abilities, firstWatermark, skipOf(decision));
  const streams = {
    picture: picture === null ? null : pictureLabel,
    sound: sound === null ? null : repack === null ? `0:${sound.streamIndex}` : '1:0',
  };
  return [
    '-y',
    ...inputArgs(paths.input, clip, picture),
    ...(repack === null ? [] : repackedInputArgs(decision, repack.offsetSeconds, paths)),
    ...(picture === null ? [] : watermarkInputArgs(picture.watermarks)),
    ...(picture === null ? [] : ['-filter_complex', graph(picture)]),
    ...outputArgs(decision, streams, pass, productPath(decision, paths), abilities),
  ];
}
