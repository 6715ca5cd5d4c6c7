import type { OutputSettings } from '../../../src/shared/settings/index.js';
import { coverUrlOf } from '../../../src/shared/settings/sources.js';
import type { MediaFacts } from '../../jobs/media.js';
import { type LeftOutTrack, type MediaTrack, type TrackOrigins, tracksOf } from '../../jobs/tracks.js';
import { holdsCovers, isFont } from './attached.js';
import { wantsCaptions } from './captions.js';
import { areImages } from './clip-captions.js';
import type { DraftDecision } from './decisions.js';
import { hasOtherTimecode, unusableReasons } from './left-out.js';
import { hasTimecode } from './metadata.js';
import { selectSubtitles } from './select-subtitles.js';

/** What the tracks of an output depend on besides its decision. */
interface OriginContext {
  readonly settings: OutputSettings;
  readonly media: MediaFacts;
  readonly wants: { readonly video: boolean; readonly audio: boolean };
  /** The tracks of audio that end before the clip, by the index of their stream. */
  readonly endedAudio: ReadonlySet<number | null>;
  /** Why audio is left out that the request does not exclude; null if there is none. */
  readonly audioReason: string | null;
}

/** From which tracks of its source those of an output are made, and why it lacks the others. */
export function trackOrigins(decision: DraftDecision, context: OriginContext): TrackOrigins {
  const { video, copiedVideo, audio, captions = [], covers = [], attachments = [] } = decision;
  const videoIndex = copiedVideo?.source.streamIndex ?? video?.streamIndex;
  const kept = {
    video: videoIndex === undefined ? [] : [videoIndex],
    audio: audio.map(({ source }) => source.streamIndex),
    subtitles: captions.map(({ streamIndex }) => streamIndex),
    ...(covers.length === 0 ? {} : { covers: covers.map(({ streamIndex }) => streamIndex) }),
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(({ streamIndex }) => streamIndex) }),
  };
  const joined = audio.flatMap(({ source }) => source.joined?.channels ?? []);
  const used: ReadonlySet<number | null> = new Set([
    ...Object.values(kept).flat(),
    ...joined.map(({ track }) => track.streamIndex),
  ]);
  return {
    ...kept,
    leftOut: tracksOf(context.media).flatMap((track): readonly LeftOutTrack[] => {
      const { kind, streamIndex } = track;
      if (streamIndex !== null && used.has(streamIndex)) return [];
      const reason = reasonFor(track, decision, context);
      return reason === null ? [] : [{ kind, streamIndex, reason }];
    }),
  };
}

function reasonFor(track: MediaTrack, decision: DraftDecision, context: OriginContext): string | null {
  const { settings, media, wants, audioReason, endedAudio } = context;
  const { extension, metadata } = decision;
  const unused = media.unused?.tracks?.find(({ streamIndex }) => streamIndex === track.streamIndex);
  const unusable = unused?.reason;
  switch (track.kind) {
    case 'video':
      if (!wants.video) return 'the output has no video';
      return unusableReasons[
        unusable ?? (media.video?.streamIndex === track.streamIndex ? 'ended' : 'other')
      ];
    case 'audio':
      if (!wants.audio) return 'the output has no audio';
      if (unusable !== undefined || endedAudio.has(track.streamIndex))
        return unusableReasons[unusable ?? 'ended'];
      return audioReason ?? 'the request chooses other tracks';
    case 'subtitle':
      return subtitleReason(track, decision, context);
    case 'cover':
      return coverReason(decision, settings);
    case 'attachment':
      return decision.video?.burned !== undefined && isFont({ ...track, codec: track.codec ?? '' })
        ? 'it is a font of the captions in the video'
        : `${extension} has no place for attached files`;
    case 'data':
      if (track.codec !== 'tmcd' || !hasTimecode(metadata)) return 'data tracks are not kept';
      return hasOtherTimecode(unused ?? {}, media)
        ? 'an output has one timecode'
        : 'its timecode is kept as a tag';
    case 'chapters':
      if ((metadata?.chapters.length ?? 0) > 0) return null;
      if (settings.chapters === 'drop') return 'the request drops chapters';
      return decision.container.hasChapters === true
        ? 'none is in this part'
        : `${extension} has no place for them`;
  }
}

function coverReason(decision: DraftDecision, settings: OutputSettings): string {
  const { container, extension, hasHintTracks = false } = decision;
  if (settings.cover === 'drop') return 'the request drops covers';
  if (coverUrlOf(settings) !== null) return 'the request names another image';
  const isCut = decision.packaging !== undefined;
  return holdsCovers(container, { isCut, hasHintTracks })
    ? 'it could not be read, as a warning says'
    : `${extension} has no place for it`;
}

function subtitleReason(
  { codec, streamIndex }: MediaTrack,
  { extension, video, copiedVideo, captionRenditions, container }: DraftDecision,
  { settings, media }: OriginContext,
): string {
  if (video === null && copiedVideo === undefined) return 'the output has no video';
  if (!wantsCaptions(settings)) return 'the request drops subtitles';
  if (video?.burned?.streamIndex === streamIndex) return 'it is drawn into the video';
  const selected = selectSubtitles(settings, media);
  if ('subtitles' in selected && !selected.subtitles.some((one) => one.streamIndex === streamIndex))
    return 'the request chooses other tracks';
  if (video?.burned !== undefined) return 'the video shows another track, drawn into it';
  if (areImages(codec ?? '') && container.muxer !== 'matroska')
    return `they are images, which ${extension} does not support`;
  if (captionRenditions !== undefined) return 'text is in files next to the output';
  return `${extension} has no tracks for them, or they have no text in this part`;
}
