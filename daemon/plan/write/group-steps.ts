import { swapsSides } from '../../jobs/media.js';
import type { PictureSize } from '../decide/decisions.js';
import type { Pictured } from '../decide/groups.js';
import { firstPassShare, heldFrames } from '../first-pass.js';
import type { Abilities, PlanPaths, Step } from '../plan-types.js';
import { groupGraph, groupLabel } from './group-graph.js';
import { inputArgs } from './input.js';
import { outputArgs, skipOf } from './output.js';
import { isInTwoPasses, productPath } from './steps.js';
import type { Pass } from './video.js';
import { watermarkInputArgs } from './watermarks.js';

/** The outputs of a group, the first of them at hand. */
export type Group = readonly [Pictured, ...Pictured[]];

/**
 * The runs of ffmpeg that make several outputs at once: one, or two where their bitrates take two passes. ffmpeg names what a first
 * pass finds after the number of the stream in its run, so the first run has the streams of the second: the sound is copied
 * to nowhere, which costs nothing. `stored` is the size of the input's picture as it lies in the file.
 */
export function groupSteps(
  group: Group,
  stored: PictureSize,
  paths: PlanPaths,
  abilities: Abilities,
): readonly Step[] {
  const [{ clip, picture }] = group;
  const hasSound = group.some(({ sound }) => sound !== null);
  const held = hasSound
    ? Math.max(...group.map((one) => heldFrames(one.picture.encoder, one.picture.speed)))
    : 0;
  const step = (share: number, pass: 1 | 2 | null): Step => ({
    outputIds: group.map(({ outputId }) => outputId),
    args: groupArgs(group, stored, paths, pass, abilities),
    durationSeconds: clip.expectedSeconds,
    share,
    heldFrames: held,
  });
  if (!isInTwoPasses(picture)) return [step(1, null)];
  const shares = group.map((one) => firstPassShare(one.picture.encoder, one.picture.speed));
  const first = shares.reduce((sum, share) => sum + share, 0) / shares.length;
  return [step(first, 1), step(1 - first, 2)];
}

function groupArgs(
  group: Group,
  stored: PictureSize,
  paths: PlanPaths,
  pass: 1 | 2 | null,
  abilities: Abilities,
): readonly string[] {
  const [first, ...others] = group;
  const isOnItsSide = swapsSides(first.picture.orientation);
  const source = isOnItsSide ? { width: stored.height, height: stored.width } : stored;
  const pictures = [first.picture, ...others.map(({ picture }) => picture)] as const;
  return [
    '-y',
    ...inputArgs(paths.input, first.clip, first.picture),
    ...pictures.flatMap(({ watermarks }) => watermarkInputArgs(watermarks)),
    ...['-filter_complex', groupGraph(pictures, source, abilities, skipOf(first))],
    ...group.flatMap((decision, place) => {
      const { sound } = decision;
      const streams = {
        picture: groupLabel(place),
        sound: sound === null ? null : `0:${sound.streamIndex}`,
      };
      const path = productPath(decision, paths);
      return outputArgs(decision, streams, passOf(decision, pass, paths), path, abilities);
    }),
  ];
}

function passOf({ outputId }: Pictured, number: 1 | 2 | null, { scratch }: PlanPaths): Pass | null {
  if (number === null) return null;
  const logName = `passes-${outputId}`;
  return { number, log: `${scratch}/${logName}`, logName };
}
