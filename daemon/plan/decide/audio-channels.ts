import {
  channelSources,
  requestedChannels,
  requestedLayout,
} from '../../../src/shared/settings/audio-rules.js';
import {
  type ChannelCount,
  type ChannelName,
  layoutOf,
  surroundChannels,
} from '../../../src/shared/settings/channels.js';
import type { OutputSettings } from '../../../src/shared/settings/index.js';
import type { RequestWarning } from '../../../src/shared/settings/setting.js';
import { languageCode } from '../../../src/shared/text/languages.js';
import type { JobFailure } from '../../jobs/job.js';
import type { AudioFacts, JoinedAudio, MediaFacts } from '../../jobs/media.js';
import { type AudioCodec, type AudioCodecFacts, audioCodecs } from '../formats.js';
import { endTimeFormats, startWithin } from './clip.js';
import type { ChannelWeights, Mixing } from './decisions.js';

/** Up to this many channels, ffmpeg knows the position of each, and downmixes by position. */
const maxPositionedChannels = 8;

/** The channels of a track of an output, and how they are made. */
interface DecidedChannels {
  readonly channels: ChannelCount;
  readonly mixing: Mixing;
  /** What `output_audio_channels` asks for and this input does not allow; null if nothing. */
  readonly problem: string | null;
}

/**
 * Decides the channels of a track (`audio_channels`, `output_audio_channels`). Channels that the input does not have
 * become a mix to as many, or to two in place of 5.1.
 */
export function decideChannels(
  settings: OutputSettings,
  audio: AudioFacts,
  codec: AudioCodec,
): DecidedChannels {
  const { joined } = audio;
  const from = audio.converted === undefined ? audio.channels : 2;
  const result = (channels: ChannelCount, mixing: Mixing, problem: string | null = null) => ({
    ...{ channels, mixing, problem },
  });
  const mix = (channels: ChannelCount, problem?: string) =>
    joined === undefined || joined.channels.length === 1
      ? result(channels, decideMixing(from, channels), problem)
      : result(channels, { by: 'weights', rows: mixedRows(joined, channels) }, problem);
  const layout = requestedLayout(settings);
  const known = knownChannels(settings, codec);
  if (layout === null || known !== layout.channels) return mix(known ?? (audio.channels === 1 ? 1 : 2));
  const { channels, names } = layout;
  if (joined !== undefined)
    return names === null || joined.channels.length === 1
      ? mix(channels)
      : result(channels, { by: 'weights', rows: rowsOf(names) });
  const isAsItIs = from === channels;
  if (isAsItIs || (names === null && (channels !== 6 || isPositioned(from)))) return mix(channels);
  if (names?.every((name) => channelsIn(from).includes(name)))
    return result(channels, { by: 'weights', rows: rowsOf(names) });
  const lower = channels === 1 ? 1 : 2;
  const count = `audio with ${from} channel${from === 1 ? '' : 's'}`;
  return mix(lower, `${count} does not have those of ${names?.join(',') ?? layoutOf(channels)}`);
}

/** Whether audio has the channels of 5.1, and perhaps more, at known positions. */
function isPositioned(channels: number): boolean {
  return channels >= 6 && channels <= maxPositionedChannels;
}

/** The channels that audio with this many has for certain. */
function channelsIn(count: number): readonly ChannelName[] {
  if (count === 6 || count === 8) return surroundChannels;
  const front = count > 1 && count <= maxPositionedChannels ? (['FL', 'FR'] as const) : [];
  return count === 5 || count === 7 ? [...front, 'FC'] : front;
}

/** How the channels of one track become those of an output. */
export function decideMixing(from: number, to: ChannelCount): Mixing {
  if (from > maxPositionedChannels) return { by: 'order', channels: from };
  if (to === 6 && from === 6) return { by: 'layout' };
  if (from <= to) return { by: 'nothing' };
  return { by: from === 2 ? 'average' : 'positions' };
}

/** Each channel as it is; the channels of two programmes become left and right. */
function rowsOf(names: readonly ChannelName[]): readonly ChannelWeights[] {
  return names.map((name) => ({ [name]: 1 }));
}

/** The weight of every channel except the front pair (ITU-R BS.775-3, annex 4): 3 dB less. */
export const restWeight = Math.SQRT1_2;

const leftWeights: ChannelWeights = { FL: 1, DL: 1, FC: restWeight, BL: restWeight };
const rightWeights: ChannelWeights = { FR: 1, DR: 1, FC: restWeight, BR: restWeight };
/** The sum of both sides, 3 dB less, so that the centre keeps its level. */
const monoWeights: ChannelWeights = {
  ...{ FL: restWeight, FR: restWeight, DL: restWeight, DR: restWeight },
  ...{ FC: 1, BL: 0.5, BR: 0.5 },
};

/** A mix of joined channels, with the weights of a downmix. The programmes DL and DR count as left and right. */
function mixedRows({ channels }: JoinedAudio, to: ChannelCount): readonly ChannelWeights[] {
  const names = channels.map(({ name }) => name);
  const [first = 'FL'] = names;
  const only = (weights: ChannelWeights): ChannelWeights => {
    const found = names.flatMap((name) =>
      weights[name] === undefined ? [] : [[name, weights[name]] as const],
    );
    return found.length === 0 ? { [first]: 0 } : Object.fromEntries(found);
  };
  if (to === 6) {
    const programmes: Partial<Record<ChannelName, ChannelWeights>> = { FL: { DL: 1 }, FR: { DR: 1 } };
    return surroundChannels.map((name) => only({ [name]: 1, ...programmes[name] }));
  }
  if (to === 2) return [only(leftWeights), only(rightWeights)];
  // The average of two never clips.
  const isPair = names.length === 2 && names.every((name) => /^[FD][LR]$/.test(name));
  return [only(isPair ? { FL: 0.5, FR: 0.5, DL: 0.5, DR: 0.5 } : monoWeights)];
}

/** A number of channels that is corrected, whatever the input has. */
interface ChannelCorrection {
  readonly channels: 1 | 2;
  readonly reason: string;
  /** The rule in strict mode. */
  readonly rule: string;
}

function channelCorrection(settings: OutputSettings, codec: AudioCodec): ChannelCorrection | null {
  const requested = requestedChannels(settings) ?? 1;
  const { hasSurround }: AudioCodecFacts = audioCodecs[codec];
  if (codec === 'amr' && requested > 1)
    return { channels: 1, reason: 'amr has one channel', rule: 'must be 1 for amr' };
  if (requested !== 6) return null;
  if (hasSurround !== true)
    return { channels: 2, reason: `${codec} has no 5.1`, rule: `must be mono or stereo for ${codec}` };
  const sources = channelSources(settings);
  const lacks = surroundChannels.some((name) => sources.every((source) => source.name !== name));
  return sources.length > 0 && lacks
    ? {
        channels: 2,
        reason: 'input_audio_channels does not name all channels of 5.1',
        rule: 'needs all channels of 5.1 in input_audio_channels',
      }
    : null;
}

/** How many channels an output has, if the request alone decides that; undefined otherwise. */
export function knownChannels(settings: OutputSettings, codec: AudioCodec): ChannelCount | undefined {
  if (codec === 'amr') return 1;
  return channelCorrection(settings, codec)?.channels ?? requestedChannels(settings);
}

/** A number of channels that the codec or the named channels do not allow is corrected, with a warning. */
export function channelWarnings(
  settings: OutputSettings,
  codec: AudioCodec,
  path: string,
): readonly RequestWarning[] {
  const correction = channelCorrection(settings, codec);
  if (correction === null) return [];
  const { channels, reason, rule } = correction;
  const name = requestedLayout(settings) === null ? 'audio_channels' : 'output_audio_channels';
  const message = `was corrected to ${channels}: ${reason}`;
  return [{ field: `${path}.${name}`, message, strictError: rule }];
}

/**
 * The track that `input_audio_channels` puts together from channels of the tracks of the input, with the sentences
 * about tracks that are mixed to one channel; or why it cannot be. `tracks` have the numbers that the request uses.
 */
export function joinChannels(
  settings: OutputSettings,
  tracks: readonly { readonly number: number; readonly track: AudioFacts }[],
  media: MediaFacts,
):
  | { readonly audio: AudioFacts; readonly longest: AudioFacts; readonly warnings: readonly string[] }
  | { readonly failure: JobFailure } {
  const sources = channelSources(settings).map((source) => ({
    ...source,
    found: tracks.find(({ number }) => number === source.track)?.track,
  }));
  const invalid = (message: string) => ({
    failure: {
      errorClass: 'InvalidAudioSettingsError',
      message: `input_audio_channels ${message}.`,
    } as const,
  });
  const channels: JoinedAudio['channels'][number][] = [];
  const warnings: string[] = [];
  for (const { name, track, channel, found } of sources) {
    if (found === undefined)
      return invalid(
        `names track ${track} for ${name}, but the audio tracks of the input are ${numbersOf(tracks)}`,
      );
    const count = found.converted === undefined ? found.channels : 2;
    if (channel !== null && channel > count)
      return invalid(`names channel ${channel} of track ${track} for ${name}, which has ${count}`);
    if (channel === null && count > 1)
      warnings.push(
        `The ${count} channels of audio track ${track} were mixed for ${name}: ${track}:1 names the first one.`,
      );
    channels.push({ name, track: found, channel: channel === null ? null : channel - 1 });
  }
  const all = channels.map(({ track }) => track);
  const ends = all.map((track) => endOf(track, media));
  const last = Math.max(...ends.map((end) => end ?? Number.POSITIVE_INFINITY));
  const endSeconds = Number.isFinite(last) ? last : media.durationSeconds;
  const longest = all[Math.max(0, ends.indexOf(last))];
  if (longest === undefined) return invalid('names no channel');
  const { streamIndex, codec, durationSeconds, startSeconds, language } = longest;
  const sampleRate = Math.max(...all.map((track) => track.sampleRate));
  const isOneLanguage =
    language !== undefined &&
    all.every((track) => languageCode(track.language ?? '') === languageCode(language));
  const audio: AudioFacts = {
    ...{ streamIndex, codec, sampleRate, durationSeconds, startSeconds, bitrateKbps: null },
    ...(isOneLanguage ? { language } : {}),
    channels: channels.length,
    joined: { channels, endSeconds },
  };
  return { audio, longest, warnings };
}

function numbersOf(tracks: readonly { readonly number: number }[]): string {
  return tracks.length === 0 ? 'none' : tracks.map(({ number }) => number).join(', ');
}

/** When a track ends, in seconds from the start of the input; null if unknown. */
function endOf({ durationSeconds, startSeconds }: AudioFacts, media: MediaFacts): number | null {
  if (durationSeconds === null) return null;
  return endTimeFormats.has(media.format)
    ? durationSeconds
    : startWithin(startSeconds, media) + durationSeconds;
}
