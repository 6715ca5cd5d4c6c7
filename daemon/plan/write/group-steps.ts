import { swapsSides } from '../../jobs/media.js';
import type { PixelSize } from '../decide/decisions.js';
import type { DecisionWithVideo } from '../decide/group-decisions.js';
import { encoderDelayFrames, firstPassWeight } from '../first-pass.js';
import type { Capabilities, PlanPaths, Step } from '../plan-types.js';
import { groupGraph, groupLabel } from './group-graph.js';
import { inputArgs } from './input.js';
import { outputArgs, skipOf } from './output.js';
import { isInTwoPasses, productPath } from './steps.js';
import type { Pass } from './video.js';
import { watermarkInputArgs } from './watermarks.js';

/** The outputs of a group, the first of them at hand. */
export type Group = readonly [DecisionWithVideo, ...DecisionWithVideo[]];

/**
 * The runs of ffmpeg that make several outputs at once: one, or two where their bitrates take two passes. ffmpeg names what a first
 * pass finds after the number of the stream in its run, so the first run has the streams of the second: the sound is copied
 * to nowhere, which costs nothing. `stored` is the size of the input's picture as it lies in the file.
 */
export function groupSteps(
  group: Group,
  stored: PixelSize,
  paths: PlanPaths,
  capabilities: Capabilities,
): readonly Step[] {
  const [{ clip, video }] = group;
  const hasAudio = group.some(({ audio }) => audio !== null);
  const encoderDelay = hasAudio
    ? Math.max(
        ...group.map((passCount) => encoderDelayFrames(passCount.video.encoder, passCount.video.speed)),
      )
    : 0;
  const step = (progressWeight: number, pass: 1 | 2 | null): Step => ({
    outputIds: group.map(({ outputId }) => outputId),
    args: groupArgs(group, stored, paths, pass, capabilities),
    durationSeconds: clip.expectedSeconds,
    progressWeight,
    encoderDelayFrames: encoderDelay,
  });
  if (!isInTwoPasses(video)) return [step(1, null)];
  const progressWeights = group.map((passCount) =>
    firstPassWeight(passCount.video.encoder, passCount.video.speed),
  );
  const first =
    progressWeights.reduce((sum, progressWeight) => sum + progressWeight, 0) / progressWeights.length;
  return [step(first, 1), step(1 - first, 2)];
}

function groupArgs(
  group: Group,
  stored: PixelSize,
  paths: PlanPaths,
  pass: 1 | 2 | null,
  capabilities: Capabilities,
): readonly string[] {
  const [first, ...others] = group;
  const isSideways = swapsSides(first.video.orientation);
  const source = isSideways ? { width: stored.height, height: stored.width } : stored;
  const videos = [first.video, ...others.map(({ video }) => video)] as const;
  return [
    '-y',
    ...inputArgs(paths.input, first.clip, first.video),
    ...videos.flatMap(({ watermarks }) => watermarkInputArgs(watermarks)),
    ...['-filter_complex', groupGraph(videos, source, capabilities, skipOf(first))],
    ...group.flatMap((decision, index) => {
      const { audio } = decision;
      const streams = {
        video: groupLabel(index),
        audio: audio === null ? null : `0:${audio.streamIndex}`,
      };
      const path = productPath(decision, paths);
      return outputArgs(decision, streams, passOf(decision, pass, paths), path, capabilities);
    }),
  ];
}

function passOf({ outputId }: DecisionWithVideo, number: 1 | 2 | null, { scratch }: PlanPaths): Pass | null {
  if (number === null) return null;
  const logName = `passes-${outputId}`;
  return { number, log: `${scratch}/${logName}`, logName };
}
