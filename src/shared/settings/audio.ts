import type { SettingsTable } from './setting.js';

const section = '4.1 Audio';
const encoding = 'Audio encoding';

const aacProfile = {
  kind: 'choice',
  choices: ['aac-lc', 'he-aac', 'he-aac-v2'],
  aliases: { 'he-aad-v2': 'he-aac-v2' },
  section: encoding,
} as const;

/** A language code of ISO 639, or a tag of BCP 47. */
const language = {
  kind: 'text',
  maxLength: 35,
  form: {
    pattern: '[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*',
    rule: 'must be a language code',
    example: 'en',
  },
  section: 'Audio tracks',
} as const;

/** The audio settings, and the settings that omit audio or video. */
export const audioTable = {
  audio_codec: {
    kind: 'choice',
    choices: ['aac', 'mp3', 'vorbis', 'opus', 'ac3', 'eac3', 'pcm', 'wma', 'amr'],
    aliases: { wmav2: 'wma' },
    section,
    help: 'audio codec',
    defaultText: 'the usual one for the video codec and the container',
  },
  audio_bit_depth: {
    kind: 'number-choice',
    choices: [16, 24, 32],
    default: 16,
    section: 'Formats',
    help: 'bits per sample of the codec pcm',
  },
  audio_quality: {
    kind: 'integer',
    min: 1,
    max: 5,
    default: 3,
    section,
    help: 'audio quality; overrides audio_bitrate',
  },
  audio_bitrate: {
    kind: 'integer',
    min: 8,
    max: 640,
    unit: 'Kbps',
    section,
    help: 'audio bitrate of all channels together; becomes the nearest multiple of 16 below 160 per channel',
  },
  audio_constant_bitrate: {
    kind: 'boolean',
    default: false,
    section: encoding,
    help: 'keep audio_bitrate constant instead of on average',
  },
  force_aac_profile: {
    ...aacProfile,
    help: 'the AAC profile; only aac-lc can be encoded unless ffmpeg has libfdk_aac',
    defaultText: 'aac-lc',
  },
  audio_language: {
    ...language,
    help: 'the language that the file declares for the audio, such as en, eng or en-US',
    defaultText: 'that of the track',
  },
  select_audio_language: {
    ...language,
    help: 'encode the audio track in this language: ordinary ones first, then the default one',
    defaultText: 'the default track',
  },
  audio_sample_rate: {
    kind: 'integer',
    min: 8000,
    max: 96_000,
    unit: 'Hz',
    section,
    help: 'audio samples per second; a rate that the codec lacks becomes the nearest one, at most 48000',
    defaultText: 'the rate of the input, at most 48000',
  },
  max_audio_sample_rate: {
    kind: 'integer',
    min: 8000,
    max: 96_000,
    unit: 'Hz',
    section: encoding,
    help: 'maximum sample rate; higher rates become the highest one of the codec that is not above it',
  },
  audio_channels: {
    kind: 'integer',
    min: 1,
    max: 2,
    section,
    help: 'number of audio channels',
    defaultText: 'as many as the input has, at most 2',
  },
  skip_audio: { kind: 'boolean', default: false, section, help: 'omit the audio' },
  skip_video: { kind: 'boolean', default: false, section, help: 'omit the video' },
} as const satisfies SettingsTable;
