/** The channels of 5.1, in the order of its layout in ffmpeg. */
export const surroundChannels = ['FL', 'FR', 'FC', 'LFE', 'BL', 'BR'] as const;
/** The channels that `input_audio_channels` and `output_audio_channels` name. DL and DR are two mono programmes. */
export const channelNames = [...surroundChannels, 'DL', 'DR'] as const;
/** One of `channelNames`. */
export type ChannelName = (typeof channelNames)[number];
/** How many channels an output may have: mono, stereo or 5.1. */
export type ChannelCount = 1 | 2 | 6;

/** What `select_audio_service_type` calls the purposes of tracks. */
export const serviceTypes = [
  ...(['main', 'music_and_effects', 'visually_impaired', 'hearing_impaired'] as const),
  ...(['dialogue', 'commentary', 'emergency', 'voice_over'] as const),
] as const;

/** The name of a layout in ffmpeg. */
export function layoutOf(channels: ChannelCount): 'mono' | 'stereo' | '5.1' {
  return channels === 1 ? 'mono' : channels === 2 ? 'stereo' : '5.1';
}
