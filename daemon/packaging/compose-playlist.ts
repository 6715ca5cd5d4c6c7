import { siblingInUrl } from '../../src/shared/text/url-text.js';
import type { JobOutput } from '../jobs/job.js';
import { displaySize } from '../jobs/media.js';
import { relativeAddress } from '../jobs/playlists.js';
import { type AudioGroup, audioGroupsOf, groupOfStream } from './alternate-audio.js';
import { type KeyframeStream, masterPlaylistText, rangeOf, type VariantStream } from './master-playlist.js';
import { captionGroup, captionsOf } from './playlist-captions.js';
import { type SourcedStream, streamsOf } from './playlist-sources.js';
import { declaredFrameRate } from './rendition-playlists.js';

/** A playlist of several renditions. */
interface ComposedPlaylist {
  readonly text: string;
  /** What contradicts the measured values, one sentence each. */
  readonly warnings: readonly string[];
}

/** A stream with what was measured of it. */
interface ComposedStream {
  readonly stream: VariantStream;
  readonly keyframes: KeyframeStream | null;
  readonly isIndependent: boolean;
  readonly warnings: readonly string[];
}

/** The lowest version of a playlist, and that with playlists of keyframes or groups of renditions. */
const lowestVersion = 3;
const groupsVersion = 4;

/**
 * Composes the playlist of several outputs of a job, which have all ended. Throws `SkippedSourceError` if a source was
 * skipped and must not be, or if no stream is left, and `SourceFailedError` if a source failed.
 */
export function composePlaylist(playlist: JobOutput, outputs: readonly JobOutput[]): ComposedPlaylist {
  const streams = streamsOf(playlist, outputs);
  const groups = audioGroupsOf(playlist, outputs, streams);
  const captions = captionsOf(playlist, streams, outputs);
  const composed = streams.map((stream) => composeStream(stream, playlist, groups));
  const keyframeStreams = composed
    .flatMap(({ keyframes }) => keyframes ?? [])
    // Streams with other audio may have the same video.
    .filter(({ uri }, index, all) => all.findIndex((other) => other.uri === uri) === index);
  const text = masterPlaylistText({
    version: keyframeStreams.length + groups.length + captions.length > 0 ? groupsVersion : lowestVersion,
    isIndependent: composed.every(({ isIndependent }) => isIndependent),
    alternates: [...groups.flatMap(({ renditions }) => renditions), ...captions],
    streams: composed.map(({ stream }) => ({
      ...stream,
      subtitles: captions.length > 0 ? captionGroup : null,
    })),
    keyframeStreams,
  });
  return { text, warnings: composed.flatMap(({ warnings }) => warnings) };
}

function composeStream(
  { settings, source, number }: SourcedStream,
  playlist: JobOutput,
  groups: readonly AudioGroup[],
): ComposedStream {
  const { rendition } = source ?? {};
  const group = groupOfStream(groups, { settings, source }, playlist);
  const own = ownRates(source, group);
  const video = source?.media?.video ?? null;
  const size = video === null ? null : displaySize(video);
  const { resolution: given, codecs: givenCodecs, bandwidth: givenKbps } = settings;
  const ownCodecs = [rendition?.videoCodec, rendition?.audioCodec].filter((codec) => codec != null);
  const measuredCodecs = [...new Set([...ownCodecs, ...(group?.codecs ?? [])])];
  const measured = size === null ? null : `${size.width}x${size.height}`;
  const track = rendition?.tracks?.find(({ kind }) => kind === 'video') ?? null;
  const ofAudio = group?.ratesWith(track) ?? { peak: 0, average: 0 };
  const peakBitrate = (own?.peakBitrate ?? 0) + ofAudio.peak;
  const bandwidth = givenKbps === undefined ? peakBitrate : Math.ceil(givenKbps * 1000);
  const media = {
    bandwidth,
    averageBandwidth: own === null ? null : own.averageBitrate + ofAudio.average,
    resolution: given === undefined ? measured : `${given.width}x${given.height}`,
    codecs: givenCodecs ?? (measuredCodecs.length === 0 ? null : measuredCodecs.join(',')),
    ...rangeOf(video),
  };
  const uri = settings.path ?? addressOf(source, playlist);
  const rate = declaredFrameRate(rendition ?? {}, video?.frameRate ?? null);
  const keyframes = rendition?.keyframes;
  return {
    stream: {
      ...media,
      uri,
      frameRate: rate === null ? null : rate.numerator / rate.denominator,
      audio: group?.name ?? null,
      subtitles: null,
      name: settings.name ?? null,
      hasClosedCaptions: mayHaveClosedCaptions(source),
    },
    keyframes:
      keyframes === undefined
        ? null
        : {
            uri: siblingInUrl(uri, keyframes.name),
            bandwidth: keyframes.peakBitrate,
            averageBandwidth: keyframes.averageBitrate,
            resolution: media.resolution,
            ...rangeOf(video),
            codecs: givenCodecs ?? rendition?.videoCodec ?? null,
          },
    isIndependent: rendition?.isIndependent === true,
    warnings:
      rendition !== undefined && bandwidth < peakBitrate
        ? [
            `The bandwidth of stream ${number} is ${bandwidth / 1000} Kbps as requested, but a segment has ${Math.ceil(peakBitrate / 1000)} Kbps.`,
          ]
        : [],
  };
}

/**
 * Whether the video of an output may carry closed captions: players hide those that a playlist denies. An audio output
 * has none.
 */
function mayHaveClosedCaptions(source: JobOutput | null): boolean {
  const media = source?.media ?? null;
  return media === null || media.video?.hasClosedCaptions === true;
}

/**
 * The address of the playlist of an output. If the playlists of its tracks are separate, it is that of the video, or of
 * the first audio.
 */
function addressOf(source: JobOutput | null, playlist: JobOutput): string {
  const address = relativeAddress(playlist.url, source?.url ?? '');
  const tracks = source?.rendition?.tracks ?? [];
  const { playlist: own } = tracks.find(({ kind }) => kind === 'video') ?? tracks[0] ?? {};
  return own === undefined ? address : siblingInUrl(address, own);
}

/** The rates of an output, without those of audio that is counted with its group; null if they were not measured. */
function ownRates(
  source: JobOutput | null,
  group: AudioGroup | undefined,
): { readonly peakBitrate: number; readonly averageBitrate: number } | null {
  const { rendition } = source ?? {};
  if (rendition === undefined) return null;
  const video = rendition.tracks?.find(({ kind }) => kind === 'video');
  return group !== undefined && video !== undefined ? video : rendition;
}
