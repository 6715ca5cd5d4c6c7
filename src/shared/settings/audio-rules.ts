import { type ChannelCount, type ChannelName, channelNames, layoutOf, surroundChannels } from './channels.js';
import type { OutputSettings } from './index.js';
import { audioBitrateStepKbps, audioKilobitsPerChannel } from './limits.js';
import type { RequestWarning } from './setting.js';

/** Where a channel comes from, both numbers from 1: a channel of a track, or all of them mixed (null). */
interface ChannelSource {
  readonly name: ChannelName;
  readonly track: number;
  readonly channel: number | null;
}

/** The entries of `input_audio_channels`, in the order of `channelNames`. */
export function channelSources({
  input_audio_channels: given = {},
}: OutputSettings): readonly ChannelSource[] {
  return channelNames.flatMap((name) => {
    const [track, channel] = given[name]?.split(':') ?? [];
    return track === undefined
      ? []
      : [{ name, track: Number(track), channel: channel === undefined ? null : Number(channel) }];
  });
}

/** What `output_audio_channels` asks for: a mix to this many channels, or exactly the channels in `names`. */
interface RequestedLayout {
  readonly channels: ChannelCount;
  /** In the order of the file; null for a mix. */
  readonly names: readonly ChannelName[] | null;
}

const namedLayouts: readonly (readonly ChannelName[])[] = [
  ['FC'],
  ['FL', 'FR'],
  ['DL', 'DR'],
  surroundChannels,
];

/** The layout that `output_audio_channels` asks for; null if it is omitted or invalid. */
export function requestedLayout({
  output_audio_channels: given = [],
}: OutputSettings): RequestedLayout | null {
  const [first, ...others] = given;
  if (others.length === 0 && (first === '1' || first === '2' || first === '6'))
    return { channels: first === '1' ? 1 : first === '2' ? 2 : 6, names: null };
  const names = namedLayouts.find(
    (layout) => layout.length === given.length && layout.every((name) => given.includes(name.toLowerCase())),
  );
  if (names === undefined) return null;
  return { channels: names.length === 1 ? 1 : names.length === 2 ? 2 : 6, names };
}

/** How many channels the request asks for; undefined if that depends on the input. */
export function requestedChannels(settings: OutputSettings): ChannelCount | undefined {
  const { audio_channels: count } = settings;
  return requestedLayout(settings)?.channels ?? (count === 1 || count === 2 ? count : undefined);
}

/** The validation error of channels that are valid individually but not together, to append to the path. */
export function channelError(settings: OutputSettings): string | undefined {
  const { output_audio_channels: given } = settings;
  const sources = channelSources(settings);
  for (const [at, { name, track, channel }] of sources.entries()) {
    const other = sources
      .slice(0, at)
      .find(
        (one) => one.track === track && (one.channel === channel || [one.channel, channel].includes(null)),
      );
    if (other !== undefined) return `.input_audio_channels names a track twice: ${other.name} and ${name}`;
  }
  if (given === undefined) return undefined;
  const layout = requestedLayout(settings);
  if (layout === null)
    return '.output_audio_channels must be a mono, stereo or 5.1 layout: FC; FL,FR; DL,DR; or FL,FR,FC,LFE,BL,BR';
  const missing = layout.names?.find(
    (one) => sources.length > 0 && sources.every(({ name }) => name !== one),
  );
  return missing === undefined
    ? undefined
    : `.output_audio_channels names ${missing}, which input_audio_channels does not`;
}

/**
 * The settings with the allowed `audio_bitrate` that is nearest to the requested one, the greater one in a tie, and a
 * warning if that is another one (contract, section 4): requests of the hosted service's customers have 56 and 320.
 * If the channels depend on the input, the limit is that of stereo; a mono input is corrected when it is known.
 */
export function withAllowedAudioBitrate(
  settings: OutputSettings,
  path: string,
): { readonly settings: OutputSettings; readonly warnings: readonly RequestWarning[] } {
  const { audio_bitrate: kbps } = settings;
  if (kbps === undefined) return { settings, warnings: [] };
  const channels = requestedChannels(settings) ?? 2;
  const limit = audioKilobitsPerChannel * channels;
  const steps = Math.floor(kbps / audioBitrateStepKbps + 0.5);
  const allowed = Math.min(Math.max(steps, 1) * audioBitrateStepKbps, limit - audioBitrateStepKbps);
  if (allowed === kbps) return { settings, warnings: [] };
  const [reason, strictError] =
    kbps >= limit
      ? [
          `${layoutOf(channels)} audio has less than ${limit} Kbps`,
          `must be below ${audioKilobitsPerChannel} per channel`,
        ]
      : [
          `bitrates are multiples of ${audioBitrateStepKbps}`,
          `must be a multiple of ${audioBitrateStepKbps}`,
        ];
  const message = `was corrected to ${allowed}: ${reason}`;
  return {
    settings: { ...settings, audio_bitrate: allowed },
    warnings: [{ field: `${path}.audio_bitrate`, message, strictError }],
  };
}
