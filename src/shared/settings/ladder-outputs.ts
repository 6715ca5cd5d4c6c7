import { VencError } from '../errors.js';
import { outputTable } from './index.js';
import { parseBoolean } from './kinds/numbers.js';
import { qualityTable } from './quality.js';
import type { RequestFields, SettingsTable } from './setting.js';

/** A ladder of renditions for players, as its flags describe it. */
export interface Ladder {
  /**
   * `cmaf`: playlists of HLS and DASH over the same segments; `dash`: only that; `ts`: only HLS, with transport
   * streams.
   */
  readonly kind: 'cmaf' | 'dash' | 'ts';
  /** Heights of the renditions in pixels, highest first; or how many there are at most, if the content decides them. */
  readonly heights: readonly number[] | { readonly count: number };
  /** The URL of the folder of all files; null if the service hosts them or `-o` names it. */
  readonly baseUrl: string | null;
  /** What asks for it, in messages; `--hls or --dash` if absent. */
  readonly flags?: string;
  /** How messages name a setting that contradicts it; its flag if absent. */
  readonly termOf?: (name: string) => string;
}

/** The heights without `--ladder`. Those above 1080 are left out unless the input has them. */
export const defaultHeights: readonly number[] = [2160, 1440, 1080, 720, 540, 360, 234];

/** The highest bitrate in Kbps of renditions of a height: `[lines, kbps]`, highest first. */
const caps = [
  [2160, 20_000],
  [1440, 12_000],
  [1080, 7500],
  [720, 4000],
  [540, 2000],
  [360, 800],
  [234, 250],
] as const;

const selections = ['select_audio_language', 'select_audio_service_type', 'input_audio_channels'] as const;

const minKbps = 100;
/** A rendition is left out if the input is not higher than the next lower one by this factor. */
const minStep = 1.1;
/** Seconds of the buffer of a bitrate cap, and of the distance of keyframes and segments. */
const bufferSeconds = 1.5;
const keyframeSeconds = 2;
const segmentSeconds = 6;
/** Players begin with the first stream of a playlist: the one that is nearest to this height, or has this number. */
const firstHeight = 540;
const firstNumber = 3;
const audioLabel = 'audio';

/**
 * The outputs of a ladder: a rendition for each height that the input has, its audio once, and a playlist of all. No
 * rendition is enlarged: the highest one has the height of the input. `settings` are those that were given for all
 * outputs. Throws `UsageError` if one of them contradicts the ladder. Pure.
 */
export function ladderOutputs(settings: RequestFields, ladder: Ladder): readonly RequestFields[] {
  const { kind, heights, baseUrl } = ladder;
  const renditions = renditionsOf(heights);
  const isMeasured = 'count' in heights;
  const conflict = Object.keys(settings).find(
    (name) => decidedByLadder.has(name) || (isMeasured && decidedByContent.has(name)),
  );
  const reason = conflict === 'thumbnails' ? 'a ladder makes no thumbnails' : 'the ladder decides it';
  if (conflict !== undefined)
    throw new VencError(
      'UsageError',
      `${(ladder.termOf ?? flagOf)(conflict)} contradicts ${ladder.flags ?? '--hls or --dash'}: ${reason}.`,
      {
        hint:
          isMeasured && decidedByContent.has(conflict)
            ? 'choose the score of the best rendition with --quality-target'
            : conflict === 'thumbnails'
              ? 'make them with a second command, such as venc run film.mov --height 360 --thumbnails 5'
              : sizeSettings.has(conflict)
                ? 'choose the heights with --ladder 1080,720,480, and the quality with --quality'
                : `leave it out, or give it to a second command without ${ladder.flags ?? '--hls or --dash'}`,
      },
    );
  const extension = kind === 'dash' ? 'mpd' : 'm3u8';
  const place = baseUrl === null ? {} : { base_url: baseUrl };
  const common = { ...place, ...kindSettings[kind], segment_seconds: segmentSeconds };
  const isSeparate = kind !== 'ts';
  // A copy has the bitrate and the channels of the input; with `auto` these decide whether it is one.
  const isCopied = isOn(settings.copy_audio ?? settings.copy);
  const audioOf = (kbps: number) =>
    isCopied || settings.output_audio_channels !== undefined
      ? {}
      : { audio_bitrate: kbps, audio_channels: 2 };
  const encoded = renditions.map(
    (rendition, index): RequestFields => ({
      ...common,
      label: rendition.name,
      filename: `${rendition.name}/${rendition.name}.${extension}`,
      ...withoutOverridden(rendition.settings, settings),
      ...(isSeparate ? { skip_audio: true } : audioOf(128)),
      forced_keyframe_rate: 1 / keyframeSeconds,
      ...settingsOfRendition(settingsOf(settings, isSeparate ? ['video'] : ['video', 'audio']), {
        isLowest: index === renditions.length - 1,
        isSeparate,
      }),
      skip: { require_video: true, ...rendition.skip },
    }),
  );
  const audio = {
    ...common,
    label: audioLabel,
    filename: `${audioLabel}/${audioLabel}.${extension}`,
    skip_video: true,
    ...audioOf(isSeparate ? 128 : 64),
    ...(isSeparate && selections.every((name) => settings[name] === undefined)
      ? { audio_tracks: 'languages' }
      : {}),
    ...settingsOf(settings, ['audio']),
    skip: { require_audio: true },
  };
  const language = settings.audio_language ?? 'und';
  const playlist = {
    ...place,
    ...playlistOf(ladder.kind, renditions, language),
    ...settingsOf(settings, []),
  };
  return [...encoded, audio, playlist];
}

/** The settings of a rendition without the quality that a target of the flags overrides. */
function withoutOverridden(
  { quality, ...rendition }: RequestFields,
  { quality_target: target }: RequestFields,
): RequestFields {
  return quality === undefined || target !== undefined ? rendition : { quality, ...rendition };
}

/** A rendition of a ladder. */
interface Rendition {
  readonly name: string;
  /** What decides its size and its bitrate. */
  readonly settings: RequestFields;
  /** The rules that leave it out. */
  readonly skip: RequestFields;
  /** How far it is from the one with which players begin. */
  readonly distance: number;
}

/** The renditions, highest first. */
function renditionsOf(heights: Ladder['heights']): readonly Rendition[] {
  if ('count' in heights) {
    const numbers = Array.from({ length: heights.count }, (_, index) => heights.count - index);
    return numbers.map((number) => ({
      name: `v${number}`,
      settings: { dynamic_profile_rendition: number },
      skip: {},
      distance: Math.abs(number - firstNumber),
    }));
  }
  return heights.map((height, index) => ({
    name: `${height}p`,
    settings: { height, ...capOf(height) },
    skip: heightRule(heights[index + 1]),
    distance: Math.abs(height - firstHeight),
  }));
}

/**
 * The settings of a rendition. Only the lowest one, which is always made, has the files of the captions: the playlist
 * lists one set. Captions that are drawn into the video are in all. It also has `copy`, which says with a warning that
 * its video is encoded; with audio in all renditions, all have it.
 */
function settingsOfRendition(
  { copy, ...given }: RequestFields,
  { isLowest, isSeparate }: { readonly isLowest: boolean; readonly isSeparate: boolean },
): RequestFields {
  const settings = copy === undefined || (isSeparate && !isLowest) ? given : { ...given, copy };
  const { caption_url: _files, subtitle_tracks: _tracks, ...others } = settings;
  const isWritten = settings.subtitles === undefined || settings.subtitles === 'keep';
  if (isLowest || !isWritten || isOn(settings.skip_captions)) return settings;
  return { ...others, subtitles: 'drop' };
}

function flagOf(name: string): string {
  return `--${name.replaceAll('_', '-')}`;
}

/** Whether a switch is on, as a flag or a preset gives it. */
function isOn(value: unknown): boolean {
  const result = parseBoolean(value);
  return 'value' in result && result.value;
}

const kindSettings = {
  cmaf: { type: 'segmented', packaging: 'cmaf' },
  dash: { type: 'segmented', streaming_delivery_format: 'dash' },
  ts: { type: 'segmented', format: 'ts' },
} as const;

function playlistOf(
  kind: Ladder['kind'],
  renditions: readonly Rendition[],
  language: unknown,
): RequestFields {
  const first = renditions.reduce((nearest, one) => (one.distance < nearest.distance ? one : nearest));
  const group = kind === 'ts' ? {} : { audio: audioLabel };
  const streams = [first, ...renditions.filter((one) => one !== first)].map(({ name }) => ({
    source: name,
    ...group,
  }));
  return {
    type: 'playlist',
    label: 'playlist',
    filename: kind === 'dash' ? 'master.mpd' : 'master.m3u8',
    ...(kind === 'cmaf' ? { packaging: 'cmaf' } : kind === 'dash' ? { playlist_format: 'dash' } : {}),
    streams: [...streams, { source: audioLabel }],
    ...(kind === 'ts' ? {} : { alternate_audio: { [audioLabel]: { source: audioLabel, language } } }),
    allow_skipped_sources: true,
  };
}

/** Leaves out a rendition if the next lower one has nearly all of the input. The lowest one is always made. */
function heightRule(nextLower: number | undefined): RequestFields {
  return nextLower === undefined ? {} : { min_height: Math.round(nextLower * minStep) };
}

/**
 * The quality and the highest bitrate of a height: those of the table, and between them in proportion to the pixels.
 */
function capOf(height: number): RequestFields {
  const [aboveLines, aboveKbps] = caps.findLast(([lines]) => lines >= height) ?? caps[0];
  const [belowLines, belowKbps] = caps.find(([lines]) => lines <= height) ?? [0, 0];
  const share =
    aboveLines === belowLines ? 0 : (height ** 2 - belowLines ** 2) / (aboveLines ** 2 - belowLines ** 2);
  const kbps = Math.max(minKbps, Math.round(belowKbps + Math.min(1, share) * (aboveKbps - belowKbps)));
  return { quality: 3, bitrate_cap: kbps, buffer_size: Math.round(kbps * bufferSeconds) };
}

/** The settings of a video that a ladder decides by its heights and the quality. */
const sizeSettings: ReadonlySet<string> = new Set([
  ...['width', 'height', 'size', 'aspect_mode', 'upscale', 'video_bitrate', 'target_size', 'copy_video'],
]);

/** What the content decides in addition, if it does. */
const decidedByContent: ReadonlySet<string> = new Set([
  ...['quality', 'crf', 'bitrate_cap', 'buffer_size', 'max_video_bitrate', 'quality_floor'],
]);

/** What a ladder decides, so that no flag or preset may. */
const decidedByLadder: ReadonlySet<string> = new Set([
  ...sizeSettings,
  ...['label', 'type', 'source', 'dynamic_profile_rendition'],
  ...['url', 'base_url', 'filename', 'format', 'packaging', 'streaming_delivery_format', 'streams', 'skip'],
  ...[
    'alternate_audio',
    'allow_skipped_sources',
    'playlist_format',
    'skip_audio',
    'skip_video',
    'thumbnails',
  ],
]);

/** The chapters of the settings of only the audio, and of those that every output has, also a playlist. */
const audioSections: ReadonlySet<string> = new Set([
  'Audio encoding',
  'Audio tracks',
  'Audio effects',
  '4.1 Audio',
]);
const deliverySections: ReadonlySet<string> = new Set([
  'Delivery',
  '4.1 Access control',
  '4.1 General',
  'addition',
]);
const onlyEncoded: ReadonlySet<string> = new Set(['video_codec', 'speed', 'allow_truncated']);
/** Settings of the video in other chapters. */
const videoNames: ReadonlySet<string> = new Set(Object.keys(qualityTable));
/** Settings of the audio in other chapters. */
const audioNames: ReadonlySet<string> = new Set(['copy_audio']);
/** Settings of all streams: of the input, the clip and copies. */
const commonNames: ReadonlySet<string> = new Set(['start_clip', 'clip_length', 'allow_truncated', 'copy']);

/** The given settings that an output with these streams has. A playlist has none of them. */
function settingsOf(settings: RequestFields, streams: readonly ('video' | 'audio')[]): RequestFields {
  const table: SettingsTable = outputTable;
  return Object.fromEntries(
    Object.entries(settings).filter(([name]) => {
      const section = table[name]?.section ?? '';
      if (videoNames.has(name)) return streams.includes('video');
      if (deliverySections.has(section) && !onlyEncoded.has(name)) return true;
      if (streams.length === 0) return false;
      if (commonNames.has(name) || section === 'Segmented outputs' || section === 'Encryption') return true;
      return streams.includes(audioNames.has(name) || audioSections.has(section) ? 'audio' : 'video');
    }),
  );
}
