import { channelNames, serviceTypes } from './channels.js';
import { inAnyCase } from './kinds/kind.js';
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

const purposes = inAnyCase([
  ...['original', 'dub', 'commentary', 'descriptions', 'visually_impaired', 'hearing_impaired'],
  ...['music_and_effects', 'forced'],
]);

/** A word for tracks, in any letter case, and which of those that it names. */
const trackPattern = `(${inAnyCase(['all', 'default', 'languages'])}|[1-9][0-9]{0,3}|(${purposes}|[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*)(:[1-9][0-9]?)?)`;

/** What selects tracks of audio or subtitles. */
export const trackSelector = {
  kind: 'text',
  maxLength: 41,
  argument: 'selector',
  maxNumber: 9999,
  isLowerCased: true,
  form: {
    pattern: trackPattern,
    rule: 'must be all, default, languages, a language code, a number from 1 or a purpose such as commentary',
    example: 'eng',
  },
} as const;

/** A list of selectors. */
export const trackSelectors = { kind: 'list', max: 50, isCommaSeparated: true, isNeverEmpty: true } as const;

/** The audio settings, and the settings that omit audio or video. */
export const audioTable = {
  audio_codec: {
    kind: 'choice',
    choices: ['aac', 'mp3', 'vorbis', 'opus', 'ac3', 'eac3', 'pcm', 'flac', 'wma', 'amr'],
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
    help: 'bits per sample of the codecs pcm and flac, which has up to 24',
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
  audio_tracks: {
    ...trackSelectors,
    of: {
      ...trackSelector,
      section: 'Audio tracks',
      help: 'a language code, und, a number from 1, or a purpose: original, dub, commentary, descriptions, hearing_impaired or music_and_effects; eng:1 is the first of several',
    },
    section: 'Audio tracks',
    help: 'the audio tracks of the output, in this order: languages, numbers and purposes; or all, default, languages',
    defaultText: 'the default track; all tracks with copy_audio',
  },
  select_audio_language: {
    ...language,
    help: 'encode the audio track in this language: ordinary ones first, then the default one',
    defaultText: 'the default track',
  },
  input_audio_service_types: {
    kind: 'map',
    of: 'service-types',
    max: 50,
    maxNameLength: 11,
    maxLength: 17,
    reserved: [],
    example: { '1': 'main', '2': 'commentary' },
    section: 'Audio tracks',
    help: 'the purposes of audio tracks by number from 1, for select_audio_service_type; in XML, track_1 for 1',
    defaultText: 'what the input declares',
  },
  select_audio_service_type: {
    kind: 'choice',
    choices: serviceTypes,
    section: 'Audio tracks',
    help: 'encode the first audio track for this purpose; with select_audio_language, of that language',
    defaultText: 'the default track',
  },
  input_audio_channels: {
    kind: 'map',
    of: 'channels',
    max: 8,
    maxNameLength: 3,
    maxLength: 7,
    reserved: [],
    example: { FL: '1:1', FR: '2:1' },
    section: 'Audio tracks',
    help: 'put one track together from channels of several: a track, or track:channel, for FL, FR, FC, LFE, BL, BR, DL, DR',
  },
  output_audio_channels: {
    kind: 'list',
    max: 8,
    isCommaSeparated: true,
    of: {
      kind: 'text',
      maxLength: 3,
      argument: 'channels',
      maxNumber: 6,
      isLowerCased: true,
      form: {
        pattern: `[126]|${inAnyCase(channelNames)}`,
        rule: 'must be a mono, stereo or 5.1 layout: 1, 2, 6, or names such as FL,FR',
        example: '6',
      },
      section: 'Audio tracks',
      help: '1, 2 or 6, or the name of a channel',
    },
    section: 'Audio tracks',
    help: 'mix to 1, 2 or 6 channels (5.1), or take those named, such as FL,FR, unmixed; overrides audio_channels',
    defaultText: 'audio_channels',
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

const effects = 'Audio effects';

/** A boost or cut in dB. */
const tone = { kind: 'number', min: -10, max: 10, unit: 'dB', section: effects } as const;
/** A corner frequency of a filter. */
const frequency = { kind: 'number', min: 5, max: 24_000, unit: 'Hz', section: effects } as const;
/** The ratio of a compressor or an expander. */
const ratio = { kind: 'number', min: 1, max: 30, section: effects } as const;
/** The level where a compressor or an expander begins. */
const threshold = { kind: 'number', min: -120, max: 0, unit: 'dB', section: effects } as const;
/** The duration of a fade. */
const fade = { kind: 'number', min: 0.001, max: 30, unit: 'seconds', section: effects } as const;

/** Whether the audio is made as loud as possible. */
const normalize = { kind: 'boolean', default: false, section: effects } as const;

/** The settings that filter the audio. */
export const audioEffectsTable = {
  audio_gain: {
    kind: 'number',
    min: -60,
    max: 60,
    unit: 'dB',
    section: effects,
    help: 'make the audio louder or quieter, without clipping',
  },
  audio_bass: { ...tone, help: 'boost or cut the frequencies below 100 Hz' },
  audio_treble: { ...tone, help: 'boost or cut the frequencies above 3000 Hz' },
  audio_highpass: { ...frequency, help: 'remove the frequencies below this one' },
  audio_lowpass: { ...frequency, help: 'remove the frequencies above this one' },
  audio_compression_ratio: { ...ratio, help: 'compress the levels above the threshold by this ratio' },
  audio_compression_threshold: { ...threshold, default: -20, help: 'the level where compression begins' },
  audio_expansion_ratio: { ...ratio, help: 'expand the levels below the threshold by this ratio' },
  audio_expansion_threshold: { ...threshold, default: -35, help: 'the level where expansion begins' },
  audio_pre_normalize: {
    ...normalize,
    help: 'raise or lower the peak to full scale before expansion and compression',
  },
  audio_post_normalize: {
    ...normalize,
    help: 'raise or lower the peak to full scale after expansion and compression',
  },
  audio_normalize: { ...normalize, help: 'both audio_pre_normalize and audio_post_normalize' },
  audio_loudness_level: {
    kind: 'number',
    min: -60,
    max: 60,
    unit: 'LUFS',
    spellings: ['loudness'],
    section: effects,
    help: 'the loudness of the audio by EBU R 128, at most -5; overrides audio_post_normalize',
  },
  audio_fade: { ...fade, help: 'fade in and out over this time' },
  audio_fade_in: { ...fade, help: 'fade in over this time', defaultText: 'audio_fade' },
  audio_fade_out: { ...fade, help: 'fade out over this time', defaultText: 'audio_fade' },
  audio_karaoke_mode: {
    kind: 'boolean',
    default: false,
    section: effects,
    help: 'remove what both channels share, such as the voice',
  },
} as const satisfies SettingsTable;
