import type { Fault } from '../jobs/job-failure.js';
import type { MediaFacts } from '../jobs/media.js';
import { checkCombination } from './combination.js';
import { decideClip, reaches, startWithin } from './decide/clip.js';
import type { Decision, Picture, Sound } from './decide/decisions.js';
import { groupsOf, isPictured } from './decide/groups.js';
import { decideLastFrame } from './decide/last-frame.js';
import { decidePicture } from './decide/picture.js';
import { decideRepack } from './decide/repack.js';
import { decideSound } from './decide/sound.js';
import type { Abilities, OutputToPlan, Plan, PlanPaths, Step } from './plan-types.js';
import { productOf } from './product.js';
import { groupSteps } from './write/group-steps.js';
import { isInTwoPasses, stepsFor } from './write/steps.js';

/**
 * How outputs are made of an input: the runs of ffmpeg, the files they leave, and the outputs that this input cannot give, each
 * with its reason. Outputs that can share the decoding of the input are made in the same runs. Pure: the same settings, facts, paths
 * and abilities give the same arguments.
 */
export function plan(
  outputs: readonly OutputToPlan[],
  media: MediaFacts,
  paths: PlanPaths,
  abilities: Abilities,
): Plan {
  const decided = outputs.map((output) => ({ output, result: decide(output, media, abilities) }));
  const decisions = decided.flatMap(({ result }) => ('decision' in result ? [result.decision] : []));
  return {
    steps: groupsOf(decisions, isInTwoPasses).flatMap((group) => stepsOf(group, media, paths, abilities)),
    products: decisions.map((decision) => productOf(decision, paths)),
    refusals: decided.flatMap(({ output, result }) =>
      'fault' in result ? [{ outputId: output.id, fault: result.fault }] : [],
    ),
  };
}

function stepsOf(
  group: readonly Decision[],
  { video }: MediaFacts,
  paths: PlanPaths,
  abilities: Abilities,
): readonly Step[] {
  const [first, ...others] = group.filter(isPictured);
  if (first === undefined || others.length === 0 || video === null) {
    return group.flatMap((decision) => stepsFor(decision, paths, abilities));
  }
  return groupSteps([first, ...others], video, paths, abilities);
}

type Result<T> = T | { readonly fault: Fault };

function decide(
  { id, settings, filename, isTest, frameAtStart, watermarks = [] }: OutputToPlan,
  media: MediaFacts,
  abilities: Abilities,
): Result<{ readonly decision: Decision }> {
  const combination = checkCombination(settings, filename, abilities, 'output');
  if (!combination.ok) {
    // Known already when the job was made, unless the ffmpeg has been changed since.
    return fault('InvalidCodecCombinationError', `${combination.complaints.join('; ')}.`);
  }
  const clipped = decideClip(settings, isTest, media, frameAtStart);
  if ('fault' in clipped) return clipped;
  const { clip } = clipped;
  const stream = media.video !== null && reaches(media.video, clip, media) ? media.video : null;
  // A first frame that is shown for only the rest of its time makes even frames uneven.
  const video = stream !== null && clip.startsInFrame ? { ...stream, isFrameRateVariable: true } : stream;
  const audio = media.audio !== null && reaches(media.audio, clip, media) ? media.audio : null;
  const beginsSeconds = video === null ? 0 : startWithin(video.startSeconds, media);
  const source = {
    format: media.format,
    firstFrameSeconds: Math.max(0, beginsSeconds - clip.startSeconds),
  };
  const pictured: Result<{ readonly picture: Picture | null }> =
    video === null || combination.video === null
      ? { picture: null }
      : decidePicture(settings, video, combination.video.encoder, source, watermarks, abilities);
  if ('fault' in pictured) return pictured;
  if (pictured.picture === null && settings.thumbnails !== undefined) {
    return fault('ThumbnailError', 'The output has no picture to take thumbnails of: the input has none.');
  }
  const { container } = combination;
  const sounded: Result<{ readonly sound: Sound | null }> =
    audio === null || combination.audio === null
      ? { sound: null }
      : decideSound(settings, audio, { ...combination.audio, container }, decideRepack(media));
  if ('fault' in sounded) return sounded;
  if (pictured.picture === null && sounded.sound === null) {
    const isThere =
      (combination.video !== null && media.video !== null) ||
      (combination.audio !== null && media.audio !== null);
    if (isThere) return fault('InvalidVideoSettingsError', behindAll(clip.startSeconds));
    return fault('NoMediaError', nothingLeft(combination.video !== null, combination.audio !== null));
  }
  const decision = {
    outputId: id,
    extension: combination.extension,
    container,
    clip,
    picture: pictured.picture,
    sound: sounded.sound,
  };
  return { decision: { ...decision, lastFrame: decideLastFrame(decision, media) } };
}

function behindAll(startSeconds: number): string {
  return `The clip begins at ${Math.round(startSeconds * 1000) / 1000} seconds, and there is no frame of the input from there on.`;
}

function nothingLeft(wantsPicture: boolean, wantsSound: boolean): string {
  if (wantsPicture && wantsSound) return 'The input has neither video nor sound that could be encoded here.';
  return wantsPicture
    ? 'The output is to have no sound, and the input has no video.'
    : 'The output is to have no video, and the input has no sound.';
}

function fault(errorClass: Fault['errorClass'], message: string): { readonly fault: Fault } {
  return { fault: { errorClass, message } };
}
