import { languageTag } from '../../src/shared/text/languages.js';
import { escapeXml } from '../../src/shared/to-xml.js';
import type { TrackDisposition } from '../jobs/media.js';
import type { TrackFacts } from '../jobs/rendition-facts.js';
import type { DashProfile } from '../plan/decide/packaging.js';
import type { VideoRange } from './master-playlist.js';

/*
 * Writes manifests of MPEG-DASH: ISO 23009-1, for media that is complete (`type="static"`), with one period.
 */

const profileNames: Readonly<Record<DashProfile, string>> = {
  live: 'urn:mpeg:dash:profile:isoff-live:2011',
  'hbbtv_1.5': 'urn:hbbtv:dash:profile:isoff-live:2012',
  on_demand: 'urn:mpeg:dash:profile:isoff-on-demand:2011',
};

/** A track, with what a manifest declares of it. */
export interface DashTrack extends Omit<TrackFacts, 'channels' | 'sampleRate'> {
  /** The folder of its files, relative to the manifest or absolute; empty if they are next to it. Percent-encoded. */
  readonly folder: string;
  /** Of video: the size as it is displayed. */
  readonly size: { readonly width: number; readonly height: number } | null;
  readonly frameRate: { readonly numerator: number; readonly denominator: number } | null;
  /** Of video. */
  readonly videoRange: VideoRange | null;
  /** What players show for it; null for its language. */
  readonly label: string | null;
  /** Whether players choose it first. */
  readonly isDefault: boolean;
  /** Of audio. */
  readonly sampleRate: number | null;
  readonly channels: number | null;
}

/** A file of captions as a whole. */
export interface DashCaptions {
  /** Relative to the manifest or absolute. Percent-encoded. */
  readonly uri: string;
  readonly language: string;
  readonly label: string;
  readonly isDefault: boolean;
  readonly isForced: boolean;
}

/** The content of a manifest. */
interface DashManifest {
  readonly profile: DashProfile;
  readonly durationSeconds: number;
  readonly tracks: readonly DashTrack[];
  readonly captions: readonly DashCaptions[];
}

/** The text of a manifest. Tracks of one kind, codec, range, language and label are alternatives of each other. */
export function dashManifestText({ profile, durationSeconds, tracks, captions }: DashManifest): string {
  const longest = Math.max(0, ...tracks.map(({ longestSegmentSeconds }) => longestSegmentSeconds));
  const sets = new Map<string, DashTrack[]>();
  for (const track of tracks) {
    const { kind, codec, videoRange, language, label, purposes = [], isDefault } = track;
    const key = JSON.stringify([kind, codec.split('.')[0], videoRange, language, label, purposes, isDefault]);
    sets.set(key, [...(sets.get(key) ?? []), track]);
  }
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    open('MPD', {
      xmlns: 'urn:mpeg:dash:schema:mpd:2011',
      profiles: profileNames[profile],
      type: 'static',
      mediaPresentationDuration: durationText(durationSeconds),
      minBufferTime: durationText(longest),
    }),
    '  <Period id="1" start="PT0S">',
    ...[...sets.values()].flatMap((set, index) => adaptationSet(set, index + 1, profile)),
    ...captions.flatMap((one, index) => captionSet(one, sets.size + index + 1)),
    '  </Period>',
    '</MPD>',
  ];
  return `${lines.join('\n')}\n`;
}

function adaptationSet(tracks: readonly DashTrack[], id: number, profile: DashProfile): readonly string[] {
  const [first] = tracks;
  if (first === undefined) return [];
  const { kind, language, label } = first;
  // Types of stream access points (ISO 14496-12, annex I): with open GOPs, frames before a keyframe cannot be decoded.
  const accessPoint = tracks.some(({ hasLeadingFrames }) => hasLeadingFrames) ? '3' : '1';
  return [
    `    ${open('AdaptationSet', {
      id: String(id),
      contentType: kind,
      mimeType: `${kind}/mp4`,
      lang: language === null ? null : languageTag(language),
      segmentAlignment: profile === 'on_demand' ? null : 'true',
      subsegmentAlignment: profile === 'on_demand' ? 'true' : null,
      startWithSAP: profile === 'on_demand' ? null : accessPoint,
      subsegmentStartsWithSAP: profile === 'on_demand' ? accessPoint : null,
    })}`,
    ...rangeProperties(first).map((line) => `      ${line}`),
    ...(label === null ? [] : [`      <Label>${escapeXml(label)}</Label>`]),
    ...rolesOf(first).map((value) => `      ${role(value)}`),
    ...tracks.flatMap((track, index) => representation(track, `${kind}-${id}-${index + 1}`)),
    '    </AdaptationSet>',
  ];
}

/**
 * What players need to display HDR, in the code points of ISO 23091-2, as DVB-DASH (ETSI TS 103 285) has it. Players
 * that do not know HLG use the transfer of BT.2020.
 */
function rangeProperties({ videoRange }: DashTrack): readonly string[] {
  if (videoRange !== 'PQ' && videoRange !== 'HLG') return [];
  const property = (kind: 'Essential' | 'Supplemental', name: string, value: string) =>
    empty(`${kind}Property`, { schemeIdUri: `urn:mpeg:mpegB:cicp:${name}`, value });
  return [
    property('Essential', 'ColourPrimaries', '9'),
    property('Essential', 'MatrixCoefficients', '9'),
    property('Essential', 'TransferCharacteristics', videoRange === 'PQ' ? '16' : '14'),
    ...(videoRange === 'HLG' ? [property('Supplemental', 'TransferCharacteristics', '18')] : []),
  ];
}

/** The roles of purposes (ISO 23009-1, section 5.8.5.5). */
const roles: Readonly<Partial<Record<TrackDisposition, string>>> = {
  ...{ dub: 'dub', comment: 'commentary', visual_impaired: 'description' },
  hearing_impaired: 'enhanced-audio-intelligibility',
};

function rolesOf({ isDefault, purposes = [] }: DashTrack): readonly string[] {
  const named = purposes.flatMap((purpose) => roles[purpose] ?? []);
  return [...(isDefault ? ['main'] : []), ...named];
}

function representation(track: DashTrack, id: string): readonly string[] {
  const { kind, codec, peakBitrate, size, frameRate, sampleRate, channels } = track;
  return [
    `      ${open('Representation', {
      id,
      mimeType: `${kind}/mp4`,
      codecs: codec,
      bandwidth: String(peakBitrate),
      width: size === null ? null : String(size.width),
      height: size === null ? null : String(size.height),
      sar: size === null ? null : '1:1',
      frameRate: frameRate === null ? null : rateText(frameRate),
      audioSamplingRate: sampleRate === null ? null : String(sampleRate),
    })}`,
    ...(channels === null
      ? []
      : [`        ${empty('AudioChannelConfiguration', channelConfiguration(channels))}`]),
    ...mediaLines(track).map((line) => `        ${line}`),
    '      </Representation>',
  ];
}

/** How a manifest names the number of channels (ISO 23003-3). */
function channelConfiguration(channels: number): Attributes {
  return { schemeIdUri: 'urn:mpeg:dash:23003:3:audio_channel_configuration:2011', value: String(channels) };
}

function mediaLines({ folder, files, timescale, startTime, durations }: DashTrack): readonly string[] {
  if (files.by === 'range') {
    const { name, headerBytes, indexBytes } = files;
    return [
      baseLine(`${folder}${encodeURIComponent(name)}`),
      open('SegmentBase', {
        indexRange: `${headerBytes}-${headerBytes + indexBytes - 1}`,
        timescale: String(timescale),
      }),
      `  ${empty('Initialization', { range: `0-${headerBytes - 1}` })}`,
      '</SegmentBase>',
    ];
  }
  return [
    ...(folder === '' ? [] : [baseLine(folder)]),
    open('SegmentTemplate', {
      timescale: String(timescale),
      initialization: encodeURIComponent(files.header),
      media: `${encodeURIComponent(files.stem)}-$Number%05d$.m4s`,
      startNumber: '1',
    }),
    '  <SegmentTimeline>',
    ...durations.map(
      ([duration, count], index) =>
        `    ${empty('S', { t: index === 0 ? String(startTime) : null, d: String(duration), r: count === 1 ? null : String(count - 1) })}`,
    ),
    '  </SegmentTimeline>',
    '</SegmentTemplate>',
  ];
}

function baseLine(uri: string): string {
  return `<BaseURL>${escapeXml(uri)}</BaseURL>`;
}

function captionSet(
  { uri, language, label, isDefault, isForced }: DashCaptions,
  id: number,
): readonly string[] {
  return [
    `    ${open('AdaptationSet', { id: String(id), contentType: 'text', mimeType: 'text/vtt', lang: language === null ? null : languageTag(language) })}`,
    `      <Label>${escapeXml(label)}</Label>`,
    `      ${role(isForced ? 'forced-subtitle' : 'subtitle')}`,
    ...(isDefault ? [`      ${role('main')}`] : []),
    `      ${open('Representation', { id: `text-${id}`, mimeType: 'text/vtt', bandwidth: '1000' })}`,
    `        <BaseURL>${escapeXml(uri)}</BaseURL>`,
    '      </Representation>',
    '    </AdaptationSet>',
  ];
}

/** What a track is for (ISO 23009-1, section 5.8.5.5). */
function role(value: string): string {
  return empty('Role', { schemeIdUri: 'urn:mpeg:dash:role:2011', value });
}

function rateText({ numerator, denominator }: NonNullable<DashTrack['frameRate']>): string {
  return denominator === 1 ? String(numerator) : `${numerator}/${denominator}`;
}

/** Rounded up: dash.js pauses a video that plays beyond the end of its period, so that it does not end. */
function durationText(seconds: number): string {
  // A sum such as 13.003000000000002 is not rounded up.
  return `PT${(Math.ceil(seconds * 1000 - 1e-6) / 1000).toFixed(3)}S`;
}

/** Attributes by name, in order. Those that are null are omitted. */
type Attributes = Readonly<Record<string, string | null>>;

function open(name: string, attributes: Attributes): string {
  return `<${name}${attributesText(attributes)}>`;
}

function empty(name: string, attributes: Attributes): string {
  return `<${name}${attributesText(attributes)}/>`;
}

function attributesText(attributes: Attributes): string {
  return Object.entries(attributes)
    .flatMap(([name, value]) =>
      value === null ? [] : [` ${name}="${escapeXml(value).replaceAll('"', '&quot;')}"`],
    )
    .join('');
}
