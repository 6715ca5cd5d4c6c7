import type { SettingsTable } from './setting.js';

const section = '4.1 Audio';

/** The sound, and which of picture and sound to leave out. */
export const audioTable = {
  audio_codec: {
    kind: 'choice',
    choices: ['aac', 'mp3', 'vorbis', 'opus'],
    isCaseInsensitive: true,
    section,
    help: 'codec of the sound',
    defaultText: 'what goes with the video codec and the container',
  },
  audio_quality: {
    kind: 'integer',
    min: 1,
    max: 5,
    default: 3,
    section,
    help: 'quality of the sound; wins over audio_bitrate',
  },
  audio_bitrate: {
    kind: 'integer',
    min: 16,
    max: 304,
    multipleOf: 16,
    unit: 'Kbps',
    section,
    help: 'bitrate of the sound, all channels together; below 160 for each channel',
  },
  audio_sample_rate: {
    kind: 'integer',
    min: 8000,
    max: 48_000,
    unit: 'Hz',
    section,
    help: 'samples a second',
    defaultText: 'that of the input, at most 48000',
  },
  audio_channels: {
    kind: 'integer',
    min: 1,
    max: 2,
    section,
    help: 'number of channels',
    defaultText: 'as many as the input has, at most 2',
  },
  skip_audio: { kind: 'boolean', default: false, section, help: 'leave the sound out' },
  skip_video: { kind: 'boolean', default: false, section, help: 'leave the picture out' },
} as const satisfies SettingsTable;
