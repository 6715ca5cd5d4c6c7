import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { JobFailure } from '../jobs/job.js';
import { audioStreams, type MediaFacts, type Ratio, type VideoFacts } from '../jobs/media.js';
import { checkCombination } from './check-combination.js';
import { forAnimation, tooLongForAnimation } from './decide/animations.js';
import { decideAttached } from './decide/attached.js';
import { decideAudioTracks, holdsOneTrack, leftOutAudio, maxAudioTracks } from './decide/audio-tracks.js';
import { decideAutoCopies, hasAutoCopies, isAsLoud, withoutAutoCopies } from './decide/auto-copies.js';
import { decideCaptions, missingCaptionWarnings } from './decide/captions.js';
import { contentSecondsOf, decideClip, endedWarnings, extendsIntoClip, startWithin } from './decide/clip.js';
import {
  clipOfCopies,
  clipOfMarks,
  copyWarnings,
  decideCopies,
  markWarnings,
  withCopies,
} from './decide/copies.js';
import { decideVideo } from './decide/decide-video.js';
import type { AudioTrack, Decision, VideoDecision } from './decide/decisions.js';
import { groupDecisions, hasVideo } from './decide/group-decisions.js';
import { hasHintTracks } from './decide/hint-tracks.js';
import { reservedIndexBytes } from './decide/index-size.js';
import { languageWarnings } from './decide/languages.js';
import { leftOutWarnings } from './decide/left-out.js';
import { decideMetadata, hasTimecode } from './decide/metadata.js';
import { decidePackaging } from './decide/packaging.js';
import { withFactor } from './decide/quality-target.js';
import { selectAudio } from './decide/select-tracks.js';
import { withTargetBitrate } from './decide/target-size.js';
import { decideHeldFrame, decideLastFrame, isLastFrameHeld } from './decide/timing.js';
import { trackOrigins } from './decide/track-origins.js';
import type { Capabilities, CopiedClip, OutputToPlan, Plan, PlanPaths, Step } from './plan-types.js';
import { productOf } from './product.js';
import { planReference } from './quality/reference-frames.js';
import { captionFilesOf } from './write/captions.js';
import { measurementsOf } from './write/measurements.js';
import { metadataFileOf } from './write/metadata.js';
import { groupSteps, isInTwoPasses, stepsFor } from './write/steps.js';

/**
 * Plans the outputs of an input: the runs of ffmpeg, the files that they produce, and the outputs that cannot be
 * encoded from this input, with the reason. Outputs that can share decoding are encoded in one run. Pure: the same
 * settings, facts, paths and capabilities give the same arguments.
 */
export function plan(
  outputs: readonly OutputToPlan[],
  media: MediaFacts,
  files: PlanPaths,
  capabilities: Capabilities,
): Plan {
  const { analysis, audio, video } = media;
  const reorderSeconds = audio === null ? video?.reorderSeconds : undefined;
  const paths: PlanPaths = {
    ...files,
    ...(analysis === undefined ? {} : { analysis }),
    ...(reorderSeconds === undefined ? {} : { reorderSeconds }),
  };
  const results = outputs.map((output) => ({ output, result: decide(output, media, capabilities) }));
  const decisions = results.flatMap(({ result }) => ('decision' in result ? [result.decision] : []));
  return {
    steps: groupDecisions(decisions, isInTwoPasses).flatMap((group) =>
      stepsOf(group, media, paths, capabilities),
    ),
    measurements: decisions.flatMap((decision) => measurementsOf(decision, paths, capabilities)),
    references: results.flatMap(({ output: { settings }, result }) =>
      'decision' in result ? planReference(result.decision, settings, media, paths, capabilities) : [],
    ),
    products: decisions.map((decision) => productOf(decision, media, paths)),
    files: decisions.flatMap((decision) => [
      ...captionFilesOf(decision, paths),
      ...metadataFileOf(decision, paths),
    ]),
    rejections: results.flatMap(({ output, result }) =>
      'failure' in result ? [{ outputId: output.id, failure: result.failure }] : [],
    ),
  };
}

function stepsOf(
  group: readonly Decision[],
  { video: inputVideo }: MediaFacts,
  paths: PlanPaths,
  capabilities: Capabilities,
): readonly Step[] {
  const [first, ...others] = group.filter(hasVideo);
  if (first === undefined || others.length === 0 || inputVideo === null) {
    return group.flatMap((decision) => stepsFor(decision, paths, capabilities));
  }
  const shared = { videos: [first, ...others] as const, audios: group.filter((one) => !hasVideo(one)) };
  return groupSteps(shared, inputVideo, paths, capabilities);
}

type Result<T> = T | { readonly failure: JobFailure };

/** Decides an output, after it was decided which of its streams that may be copied are. */
function decide(
  output: OutputToPlan,
  media: MediaFacts,
  capabilities: Capabilities,
): Result<{ readonly decision: Decision }> {
  const settings = withCopies(output.settings, media.video);
  if (!hasAutoCopies(settings)) return decideOutput({ ...output, settings }, media, capabilities);
  const encoded = decideOutput({ ...output, settings: withoutAutoCopies(settings) }, media, capabilities);
  if ('failure' in encoded) return encoded;
  const copies = decideAutoCopies(settings, encoded.decision, media);
  const result = decideOutput(
    { ...output, settings: copies.settings },
    media,
    capabilities,
    copies.encodedAudio,
  );
  if ('failure' in result) return result;
  const { decision } = result;
  return { decision: { ...decision, warnings: [...decision.warnings, ...copies.notes] } };
}

/** What an output copies, if its video is certainly a copy, whatever the frames of the input show; otherwise null. */
export function copiedClip(
  output: OutputToPlan,
  media: MediaFacts,
  capabilities: Capabilities,
): CopiedClip | null {
  if (withCopies(output.settings, media.video).copy_video !== true) return null;
  const result = decide(output, media, capabilities);
  if (!('decision' in result) || result.decision.copiedVideo === undefined) return null;
  const { copiedVideo, audio, clip } = result.decision;
  const copied = [copiedVideo, ...audio.filter(({ encoding }) => encoding === null)];
  return { streams: copied.map(({ source }) => source.streamIndex), seconds: clip.startSeconds };
}

const noTracks: ReadonlySet<number> = new Set();

/** Decides an output. `encodedAudio`: the tracks of audio that are not copied although `copy_audio` is set. */
function decideOutput(
  {
    id,
    settings: givenSettings,
    filename,
    isTest,
    frameAtStart,
    copyStart = null,
    watermarks = [],
    captions = [],
    covers,
    fontsFolder,
    measured,
    segmentGrids = [],
    crf,
  }: OutputToPlan,
  given: MediaFacts,
  capabilities: Capabilities,
  encodedAudio: ReadonlySet<number> = noTracks,
): Result<{ readonly decision: Decision }> {
  const combination = checkCombination(givenSettings, filename, capabilities, 'output');
  if (!combination.ok) {
    // Validated when the job was created, so this fails only if ffmpeg has been replaced since.
    return failure('InvalidCodecCombinationError', `${combination.validationErrors.join('; ')}.`);
  }
  const { container, extension } = combination;
  const settings = forAnimation(givenSettings, container, given.video);
  const wants = { video: combination.video !== null, audio: combination.audio !== null };
  const packaging = packagingOf(settings, { filename, extension }, wants.video && given.video !== null);
  const isTogether = packaging.packaging?.hasSeparateTracks === false;
  const held = holdsOneTrack(container) || isTogether ? 1 : maxAudioTracks;
  const selected = selectAudio(settings, given, held === 1);
  if ('failure' in selected) return selected;
  const { media } = selected;
  const selectedTracks = wants.audio ? selected.tracks.slice(0, held) : [];
  const clipped = decideClip(settings, isTest, media, frameAtStart);
  if ('failure' in clipped) return clipped;
  const { clip: exactClip } = clipped;
  const tooLong = tooLongForAnimation(exactClip, extension);
  if (tooLong !== null) return failure('InvalidVideoSettingsError', tooLong);
  const copies = decideCopies(
    settings,
    {
      video: wants.video ? media.video : null,
      audio: selectedTracks.filter(({ streamIndex }) => !encodedAudio.has(streamIndex)),
      encodedVideo: media.video === null ? null : (combination.video?.codec ?? null),
      encodedAudio: media.audio === null ? null : (combination.audio?.codec ?? null),
      ...{ container, extension },
      isClip: exactClip.startSeconds > 0 || exactClip.lengthSeconds !== null,
    },
    media,
    capabilities,
  );
  if ('failure' in copies) return copies;
  const copiedVideo = copies.video;
  const clip = copiedVideo === null ? exactClip : clipOfCopies(exactClip);
  const stream = media.video !== null && extendsIntoClip(media.video, clip, media) ? media.video : null;
  // The first frame is displayed for only part of its duration, or the last one for longer, so the frame durations are
  // uneven.
  const inputVideo =
    stream !== null && (clip.startsInFrame || (media.audio === null && isLastFrameHeld(stream)))
      ? { ...stream, isFrameRateVariable: true }
      : stream;
  const videoStartSeconds = inputVideo === null ? 0 : startWithin(inputVideo.startSeconds, media);
  const source = {
    format: media.format,
    firstFrameSeconds: Math.max(0, videoStartSeconds - clip.startSeconds),
  };
  const audioTracks = selectedTracks.filter((track) => extendsIntoClip(track, clip, media));
  const endedAudio = selectedTracks.filter((track) => !audioTracks.includes(track));
  const audioResult: Result<{
    readonly tracks: readonly AudioTrack[];
    readonly warnings: readonly string[];
  }> =
    combination.audio === null
      ? { tracks: [], warnings: [] }
      : decideAudioTracks(settings, audioTracks, {
          ...{ ...combination.audio, container, clip, media, measured },
          copied: copies.audio,
          main: (settings.audio_tracks ?? ['all'])[0] === 'all' ? given.audio : null,
        });
  if ('failure' in audioResult) return audioResult;
  const isSized =
    settings.target_size !== undefined &&
    packaging.packaging === undefined &&
    inputVideo !== null &&
    combination.video !== null &&
    copiedVideo === null;
  const sized = isSized ? withTargetBitrate(settings, clip, audioResult.tracks) : { settings };
  if ('failure' in sized) return sized;
  const videoResult: Result<{ readonly video: VideoDecision | null; readonly warnings: readonly string[] }> =
    inputVideo === null || combination.video === null || copiedVideo !== null
      ? { video: null, warnings: [] }
      : decideVideo(
          sized.settings,
          inputVideo,
          combination.video.encoder,
          source,
          watermarks,
          capabilities,
          segmentGrids,
          settings.subtitles === 'burn' && captions.length > 0,
        );
  if ('failure' in videoResult) return videoResult;
  const encodedVideo = videoResult.video === null ? null : withFactor(videoResult.video, crf);
  const isVideo = videoResult.video !== null || copiedVideo !== null;
  const lacksThumbnails = !isVideo && settings.thumbnails !== undefined;
  if (lacksThumbnails && settings.strict === true)
    return failure('ThumbnailError', 'Thumbnails need video, and the input has none.');
  if (!isVideo && audioResult.tracks.length === 0) {
    const hasMatchingStream = (wants.video && media.video !== null) || (wants.audio && media.audio !== null);
    if (hasMatchingStream) return failure('InvalidVideoSettingsError', clipPastEndMessage(clip.startSeconds));
    return failure('NoMediaError', noStreamsMessage(wants.video, wants.audio));
  }
  const heard = audioTracks.length > 0 ? audioTracks : audioStreams(media);
  const marked = copiedVideo === null ? { clip } : clipOfMarks(clip, copyStart, audioResult.tracks);
  const captionResult = isVideo
    ? decideCaptions(settings, captions, {
        ...{ container, extension, clip: marked.clip, media, outputId: id, video: videoResult.video },
        spoken: heard.map(({ language }) => settings.audio_language ?? language),
      })
    : { tracks: [], warnings: [] };
  if ('failure' in captionResult) return captionResult;
  const { tracks, burned, renditions, warnings: captionWarnings } = captionResult;
  const outputStreams = [...(isVideo && media.video !== null ? [media.video] : []), ...audioTracks];
  const { metadata, warnings: metadataWarnings } = decideMetadata(settings, media, {
    extension,
    streams: [...outputStreams, ...tracks].flatMap(({ streamIndex }) => streamIndex ?? []),
    ...marked,
    isCut: packaging.packaging !== undefined,
    frameRate: outputRate(videoResult.video, copiedVideo?.source ?? null),
    isAsLoud:
      audioResult.tracks.length === 0
        ? null
        : clip.startSeconds === 0 && clip.lengthSeconds === null && audioResult.tracks.every(isAsLoud),
  });
  const otherAudio = leftOutAudio(
    selected,
    selectedTracks,
    given,
    isTogether ? `a segment of ${extension}` : extension,
  );
  const isHinted = hasHintTracks(settings, container);
  const attached = decideAttached(settings, given, covers, {
    ...{ container, extension, isCut: packaging.packaging !== undefined, hasHintTracks: isHinted },
    usesFonts: burned !== undefined,
  });
  const decision = {
    outputId: id,
    extension,
    container,
    clip,
    contentSeconds: contentSecondsOf(clip, outputStreams, media),
    video:
      encodedVideo === null || burned === undefined
        ? encodedVideo
        : {
            ...encodedVideo,
            burned: { ...burned, ...(fontsFolder === undefined ? {} : { fontsFolder }) },
          },
    ...(copiedVideo === null ? {} : { copiedVideo }),
    ...(isVideo ? videoLabelsOf(media.video) : {}),
    audio: audioResult.tracks,
    ...(tracks.length === 0 ? {} : { captions: tracks }),
    ...(renditions === undefined ? {} : { captionRenditions: renditions }),
    ...(isHinted ? { hasHintTracks: true } : {}),
    ...(attached.covers.length === 0 ? {} : { covers: attached.covers }),
    ...(attached.attachments.length === 0 ? {} : { attachments: attached.attachments }),
    ...packaging,
    ...(isSized ? { targetBytes: settings.target_size } : {}),
    ...(metadata.tags.length + metadata.chapters.length === 0 ? {} : { metadata }),
    warnings: [
      ...selected.warnings,
      ...leftOutWarnings(settings, given, {
        wantsVideo: wants.video,
        wantsAudio: wants.audio,
        otherAudio,
        hasVideo: isVideo,
        hasTimecode: hasTimecode(metadata),
      }),
      ...attached.warnings,
      ...metadataWarnings,
      ...languageWarnings(settings, media, {
        ...{ isVideo, audio: audioTracks, captions: renditions === undefined ? tracks : null },
        ...{ container, extension, isPackaged: packaging.packaging !== undefined },
      }),
      ...copies.warnings,
      ...copyWarnings(clip, copies, copyStart),
      ...(copyStart === null ? markWarnings(clip, copies, metadata) : []),
      ...(wants.video && inputVideo === null ? endedWarnings('video', media.video) : []),
      ...endedAudio.flatMap((track) => endedWarnings('audio', track)),
      ...videoResult.warnings,
      ...audioResult.warnings,
      ...captionWarnings,
      ...(lacksThumbnails ? ['There are no thumbnails, because the input has no video.'] : []),
      ...missingCaptionWarnings(settings, { isVideo, wantsVideo: wants.video }),
    ],
  };
  const { video } = decision;
  const origins = trackOrigins(decision, {
    ...{ settings, media: given, wants, audioReason: otherAudio?.reason ?? null },
    endedAudio: new Set(endedAudio.map(({ streamIndex }) => streamIndex)),
  });
  const heldFrame = decideHeldFrame(decision, media, capabilities);
  return {
    decision: {
      ...decision,
      origins,
      ...(video === null || heldFrame === null
        ? {}
        : { video: { ...video, timing: { ...video.timing, heldFrame } } }),
      lastFrame: decideLastFrame(decision, media),
      indexBytes: reservedIndexBytes(decision, media),
    },
  };
}

function videoLabelsOf(video: VideoFacts | null): Pick<Decision, 'videoLabels'> {
  const { language, title, stereo3d, projection } = video ?? {};
  const videoLabels = {
    ...(language === undefined ? {} : { language }),
    ...(title === undefined ? {} : { title }),
    ...(stereo3d === undefined ? {} : { stereo3d }),
    ...(projection === undefined ? {} : { projection }),
  };
  return Object.keys(videoLabels).length === 0 ? {} : { videoLabels };
}

/** The frame rate of an output; null if it is unknown, or if there is no video. */
function outputRate(encoded: VideoDecision | null, copied: VideoFacts | null): Ratio | null {
  if (copied !== null) return copied.frameRate;
  const framesPerSecond = encoded?.framesPerSecond ?? null;
  return framesPerSecond === null ? null : { numerator: framesPerSecond, denominator: 1 };
}

function packagingOf(
  settings: OutputSettings,
  names: { readonly filename: string; readonly extension: string },
  hasVideo: boolean,
): Pick<Decision, 'packaging'> {
  const packaging = decidePackaging(settings, names, hasVideo);
  return packaging === null ? {} : { packaging };
}

function clipPastEndMessage(startSeconds: number): string {
  return `The clip starts at ${Math.round(startSeconds * 1000) / 1000} seconds, but the input has no frame after that.`;
}

function noStreamsMessage(wantsVideo: boolean, wantsAudio: boolean): string {
  if (wantsVideo && wantsAudio) return 'The input has no video and no audio that can be encoded.';
  return wantsVideo
    ? 'The output has no audio, and the input has no video.'
    : 'The output has no video, and the input has no audio.';
}

function failure(errorClass: JobFailure['errorClass'], message: string): { readonly failure: JobFailure } {
  return { failure: { errorClass, message } };
}
