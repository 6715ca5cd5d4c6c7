import type { RenditionFacts } from '../jobs/job.js';
import { displaySize, type MediaFacts } from '../jobs/media.js';
import type { TrackFacts } from '../jobs/rendition-facts.js';
import type { Packaging } from '../plan/decide/packaging.js';
import { labelsOf } from './alternate-audio.js';
import { type DashTrack, dashManifestText } from './dash-manifest.js';
import { masterPlaylistText, rangeOf, videoRangeOf } from './master-playlist.js';
import { captionGroup, dashCaptions, ownCaptions } from './playlist-captions.js';
import { declaredFrameRate } from './rendition-playlists.js';

/** A playlist or manifest, and its name next to the main one; empty for that. */
export interface TrackDocument {
  readonly name: string;
  readonly text: string;
}

/** What documents declare besides the measured facts. */
interface DocumentOptions {
  readonly packaging: Packaging;
  readonly media: MediaFacts;
  /** The playlists of the tracks. */
  readonly playlists: readonly string[];
}

/** The playlists and manifests of a rendition whose tracks have segments of their own, the main one first. */
export function trackDocuments(
  facts: RenditionFacts,
  { packaging, media, playlists }: DocumentOptions,
): readonly TrackDocument[] {
  const { tracks = [] } = facts;
  const { dashProfile, hasHls, stem } = packaging;
  const manifest = (): string =>
    dashManifestText({
      profile: dashProfile ?? 'live',
      durationSeconds: Math.max(...tracks.map(durationOfTrack)),
      tracks: withDefaultAudio(tracks.map((track) => dashTrack(track, { facts, media }, ''))),
      captions: (facts.captions ?? []).flatMap((one) =>
        one.file === undefined ? [] : [dashCaptions(one, encodeURIComponent(one.file))],
      ),
    });
  if (!hasHls) return [{ name: '', text: manifest() }];
  const [only = ''] = playlists;
  const named = tracks.flatMap(({ playlist }, index) =>
    playlist === undefined ? [] : [{ name: playlist, text: playlists[index] ?? '' }],
  );
  return [
    { name: '', text: named.length === 0 ? only : playlistOfTracks(facts, media) },
    ...named,
    ...(dashProfile === null ? [] : [{ name: `${stem}.mpd`, text: manifest() }]),
  ];
}

/** The duration of a track in seconds, from its segments. */
export function durationOfTrack({
  durations,
  timescale,
}: Pick<TrackFacts, 'durations' | 'timescale'>): number {
  return durations.reduce((sum, [duration, count]) => sum + duration * count, 0) / timescale;
}

/** A track as a manifest declares it. `folder` is that of its files, percent-encoded. */
export function dashTrack(
  track: TrackFacts,
  { facts, media: { video, audio } }: { readonly facts: RenditionFacts; readonly media: MediaFacts },
  folder: string,
): DashTrack {
  const isVideo = track.kind === 'video';
  return {
    ...track,
    folder,
    label: track.title ?? null,
    isDefault: false,
    videoRange: isVideo ? videoRangeOf(video) : null,
    size: isVideo && video !== null ? displaySize(video) : null,
    frameRate: isVideo ? declaredFrameRate(facts, video?.frameRate ?? null) : null,
    sampleRate: isVideo ? null : (track.sampleRate ?? audio?.sampleRate ?? null),
    channels: isVideo ? null : (track.channels ?? audio?.channels ?? null),
  };
}

/** The name of the group of the audio in the playlist of a rendition. */
const audioGroup = 'audio';

/** Marks the first of several tracks of audio as the one that players choose. */
export function withDefaultAudio(tracks: readonly DashTrack[]): readonly DashTrack[] {
  const audio = tracks.filter(({ kind }) => kind === 'audio');
  if (audio.length < 2 || audio.some(({ isDefault }) => isDefault)) return tracks;
  return tracks.map((track) => (track === audio[0] ? { ...track, isDefault: true } : track));
}

/** The playlist of a rendition whose tracks have playlists of their own. */
function playlistOfTracks(facts: RenditionFacts, { video }: MediaFacts): string {
  const { tracks = [], keyframes, peakBitrate, averageBitrate, isIndependent } = facts;
  const captions = ownCaptions(facts);
  const size = video === null ? null : displaySize(video);
  const resolution = size === null ? null : `${size.width}x${size.height}`;
  const audio = tracks.filter(({ kind }) => kind === 'audio');
  const main = tracks.find(({ kind }) => kind === 'video') ?? audio[0];
  const rate = video === null ? null : declaredFrameRate(facts, video.frameRate ?? null);
  return masterPlaylistText({
    version: 6,
    isIndependent,
    alternates: [
      ...audio.map((track, index) => ({
        type: 'AUDIO' as const,
        group: audioGroup,
        ...labelsOf(track, audioGroup),
        isDefault: index === 0,
        isAutoselect: true,
        uri: encodeURIComponent(track.playlist ?? ''),
      })),
      ...captions,
    ],
    streams: [
      {
        uri: encodeURIComponent(main?.playlist ?? ''),
        bandwidth: peakBitrate,
        averageBandwidth: averageBitrate,
        resolution,
        codecs: [...new Set(tracks.map(({ codec }) => codec))].join(','),
        ...rangeOf(video),
        frameRate: rate === null ? null : rate.numerator / rate.denominator,
        audio: audioGroup,
        subtitles: captions.length > 0 ? captionGroup : null,
        name: null,
        hasClosedCaptions: video?.hasClosedCaptions === true,
      },
    ],
    keyframeStreams:
      keyframes === undefined
        ? []
        : [
            {
              uri: encodeURIComponent(keyframes.name),
              bandwidth: keyframes.peakBitrate,
              averageBandwidth: keyframes.averageBitrate,
              resolution,
              codecs: facts.videoCodec,
              ...rangeOf(video),
            },
          ],
  });
}
