import { swapsSides } from '../../jobs/media.js';
import { type Decision, encodedAudio, type PixelSize, type VideoDecision } from '../decide/decisions.js';
import type { DecisionWithVideo } from '../decide/group-decisions.js';
import { encoderDelayFrames, firstPassWeight, type VideoEncoder, videoEncoders } from '../encoders.js';
import type { Capabilities, PlanPaths, Step } from '../plan-types.js';
import { attachedStreams, coverInputArgs, coverInputCount } from './attached.js';
import { captionInputArgs, captionInputCount, captionStreams } from './captions.js';
import { videoGraph, videoLabel } from './filters.js';
import { groupGraph, groupLabel } from './group-graph.js';
import { audioInputs, inputArgs, repackArgs } from './input.js';
import { joinedGraphs } from './joined-audio.js';
import { metadataInputArgs } from './metadata.js';
import { outputArgs, skipOf } from './output.js';
import { paletteRun } from './palette.js';
import type { Pass } from './video.js';
import { watermarkInputArgs } from './watermarks.js';

/** The part of the work that repacking the audio takes: it is only read and written. */
const repackWeight = 0.02;

/** The runs of ffmpeg that encode one output, in order. */
export function stepsFor(decision: Decision, paths: PlanPaths, capabilities: Capabilities): readonly Step[] {
  const { video, outputId, clip } = decision;
  const audio = encodedAudio(decision);
  const step = (progressWeight: number, args: readonly string[], encoderDelay = 0): Step => ({
    outputIds: [outputId],
    args,
    durationSeconds: clip.expectedSeconds,
    progressWeight,
    encoderDelayFrames: encoderDelay,
  });
  const encode = (pass: Pass | null, indexBytes = decision.indexBytes) =>
    encodeArgs({ ...decision, indexBytes }, paths, pass, capabilities);
  const before = audio
    .filter(({ repack }) => repack !== null)
    .map((one) => step(repackWeight, repackArgs(decision, one, paths)));
  const left = 1 - before.length * repackWeight;
  const encoderDelay =
    video === null || audio.length === 0 ? 0 : encoderDelayFrames(video.encoder, video.speed);
  if (video === null || !isInTwoPasses(video)) {
    const reserve = decision.indexBytes === null ? {} : { argsWithoutReserve: encode(null, null) };
    return [...before, { ...step(left, encode(null), encoderDelay), ...reserve }];
  }
  const logName = `passes-${outputId}`;
  const first = firstPassWeight(video.encoder, video.speed);
  const passes = { log: `${paths.scratch}/${logName}`, logName };
  return [
    ...before,
    step(left * first, encode({ number: 1, ...passes })),
    step(left * (1 - first), encode({ number: 2, ...passes }), encoderDelay),
  ];
}

/** The path of the file that the steps of an output produce. */
export function productPath(decision: Decision, paths: PlanPaths): string {
  const { outputId, extension } = decision;
  return paths.files?.get(outputId) ?? `${paths.scratch}/output-${outputId}${extension}`;
}

/** Whether a video is encoded in two passes. */
export function isInTwoPasses({ rate, encoder }: VideoDecision): boolean {
  const { passes }: VideoEncoder = videoEncoders[encoder];
  return rate.passes === 2 && passes !== 'none';
}

function encodeArgs(
  decision: Decision,
  paths: PlanPaths,
  pass: Pass | null,
  capabilities: Capabilities,
): readonly string[] {
  const { video, clip } = decision;
  const copiedVideo = decision.copiedVideo?.source;
  const whole = pass?.number === 1 ? withoutFiles(decision) : decision;
  const audio = audioInputs([whole], paths);
  // After the input and the files of its audio.
  const firstWatermark = 1 + audio.args.length;
  const firstCaptions = firstWatermark + (video?.watermarks.length ?? 0);
  const firstCover = firstCaptions + captionInputCount(whole);
  const palette =
    video === null || pass === null
      ? null
      : paletteRun(decision, video, pass, firstCover + coverInputCount(whole));
  const graphs = [
    ...(video === null ? [] : [videoGraph(video, capabilities, firstWatermark, skipOf(decision))]),
    ...(palette?.graphs ?? []),
    ...joinedGraphs(whole, paths, capabilities),
  ];
  const encoded = video === null ? null : (palette?.label ?? videoLabel);
  const streams = {
    video: copiedVideo !== undefined ? `0:${copiedVideo.streamIndex}` : encoded,
    audio: audio.streamsOf(whole),
    captions: captionStreams(whole, firstCaptions),
    attached: attachedStreams(whole, firstCover),
    metadata: whole.metadata === undefined ? null : firstCover + coverInputCount(whole),
  };
  return [
    '-y',
    ...inputArgs(paths, clip, video),
    ...audio.args.flat(),
    ...(video === null ? [] : watermarkInputArgs(video.watermarks)),
    ...captionInputArgs(whole, skipOf(decision).seconds, paths),
    ...coverInputArgs(whole, skipOf(decision).seconds),
    ...metadataInputArgs(whole, paths),
    ...(palette?.inputArgs ?? []),
    ...(graphs.length === 0 ? [] : ['-filter_complex', graphs.join(';')]),
    ...(palette?.outputArgs ?? []),
    ...outputArgs(whole, streams, pass, productPath(decision, paths), capabilities),
  ];
}

/** The output of a first pass, which is discarded: only video. */
function withoutFiles(decision: Decision): Decision {
  const {
    captions: _captions,
    metadata: _metadata,
    covers: _covers,
    attachments: _files,
    ...rest
  } = decision;
  return { ...rest, audio: [] };
}

/** The outputs of a group: at least one with video, and those with only audio. */
interface Group {
  readonly videos: readonly [DecisionWithVideo, ...DecisionWithVideo[]];
  readonly audios: readonly Decision[];
}

/**
 * The runs of ffmpeg that encode several outputs at once: one, or two if the bitrates need two passes. ffmpeg names the
 * logs of a first pass by the stream number in the run, so the first run has the same streams as the second: audio and
 * captions are copied and discarded, which costs nothing. `stored` is the size of the input as stored.
 */
export function groupSteps(
  group: Group,
  stored: PixelSize,
  paths: PlanPaths,
  capabilities: Capabilities,
): readonly Step[] {
  const { videos } = group;
  const [{ clip, video }] = videos;
  const all = [...videos, ...group.audios];
  const hasAudio = all.some(({ audio }) => audio.length > 0);
  const encoderDelay = hasAudio
    ? Math.max(...videos.map(({ video: { encoder, speed } }) => encoderDelayFrames(encoder, speed)))
    : 0;
  const step = (progressWeight: number, pass: 1 | 2 | null): Step => ({
    outputIds: all.map(({ outputId }) => outputId),
    args: groupArgs(group, stored, paths, pass, capabilities),
    durationSeconds: clip.expectedSeconds,
    progressWeight,
    encoderDelayFrames: encoderDelay,
  });
  if (!isInTwoPasses(video)) return [step(1, null)];
  const progressWeights = videos.map(({ video: { encoder, speed } }) => firstPassWeight(encoder, speed));
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
  const [first, ...others] = group.videos;
  const isSideways = swapsSides(first.video.orientation);
  const source = isSideways ? { width: stored.height, height: stored.width } : stored;
  const videos = [first.video, ...others.map(({ video }) => video)] as const;
  const all = [...group.videos, ...group.audios];
  // Outputs of the same stream share its file.
  const audio = audioInputs(all, paths);
  // After the input and the files of its audio.
  const firstWatermark = 1 + audio.args.length;
  const firstCaptions = firstWatermark + videos.reduce((sum, { watermarks }) => sum + watermarks.length, 0);
  const firstCover = firstCaptions + captionsBefore(group.videos, group.videos.length);
  const coversBefore = (index: number) =>
    all.slice(0, index).reduce((sum, decision) => sum + coverInputCount(decision), 0);
  const firstMetadata = firstCover + coversBefore(all.length);
  const withMetadata = all.filter(({ metadata }) => metadata !== undefined);
  const metadataOf = (decision: Decision) =>
    decision.metadata === undefined ? null : firstMetadata + withMetadata.indexOf(decision);
  return [
    '-y',
    ...inputArgs(paths, first.clip, first.video),
    ...audio.args.flat(),
    ...videos.flatMap(({ watermarks }) => watermarkInputArgs(watermarks)),
    ...group.videos.flatMap((decision) => captionInputArgs(decision, skipOf(first).seconds, paths)),
    ...all.flatMap((decision) => coverInputArgs(decision, skipOf(first).seconds)),
    ...withMetadata.flatMap((decision) => metadataInputArgs(decision, paths)),
    ...['-filter_complex', groupGraph(videos, source, capabilities, skipOf(first), firstWatermark)],
    ...group.videos.flatMap((decision, index) => {
      const streams = {
        video: groupLabel(index),
        audio: audio.streamsOf(decision),
        captions: captionStreams(decision, firstCaptions + captionsBefore(group.videos, index)),
        attached: attachedStreams(decision, firstCover + coversBefore(index)),
        metadata: metadataOf(decision),
      };
      const path = productPath(decision, paths);
      return outputArgs(decision, streams, passOf(decision, pass, paths), path, capabilities);
    }),
    ...group.audios.flatMap((decision) => {
      const path = productPath(decision, paths);
      const streams = {
        video: null,
        audio: audio.streamsOf(decision),
        captions: [],
        attached: attachedStreams(decision, firstCover + coversBefore(all.indexOf(decision))),
        metadata: metadataOf(decision),
      };
      return outputArgs(decision, streams, passOf(decision, pass, paths), path, capabilities);
    }),
  ];
}

/** The number of caption files of the outputs before one of a group. */
function captionsBefore(videos: Group['videos'], index: number): number {
  return videos.slice(0, index).reduce((sum, decision) => sum + captionInputCount(decision), 0);
}

function passOf({ outputId }: Decision, number: 1 | 2 | null, { scratch }: PlanPaths): Pass | null {
  if (number === null) return null;
  const logName = `passes-${outputId}`;
  return { number, log: `${scratch}/${logName}`, logName };
}
