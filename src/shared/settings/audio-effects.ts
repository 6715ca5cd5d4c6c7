import type { SettingsTable } from './setting.js';

const section = 'Audio effects';

/** A boost or cut in dB. */
const tone = { kind: 'number', min: -10, max: 10, unit: 'dB', section } as const;
/** A corner frequency of a filter. */
const frequency = { kind: 'number', min: 5, max: 24_000, unit: 'Hz', section } as const;
/** The ratio of a compressor or an expander. */
const ratio = { kind: 'number', min: 1, max: 30, section } as const;
/** The level where a compressor or an expander begins. */
const threshold = { kind: 'number', min: -120, max: 0, unit: 'dB', section } as const;
/** The duration of a fade. */
const fade = { kind: 'number', min: 0.001, max: 30, unit: 'seconds', section } as const;

/** Whether the audio is made as loud as possible. */
const normalize = { kind: 'boolean', default: false, section } as const;

/** The settings that filter the audio. */
export const audioEffectsTable = {
  audio_gain: {
    kind: 'number',
    min: -60,
    max: 60,
    unit: 'dB',
    section,
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
    section,
    help: 'the loudness of the audio by EBU R 128, at most -5; overrides audio_post_normalize',
  },
  audio_fade: { ...fade, help: 'fade in and out over this time' },
  audio_fade_in: { ...fade, help: 'fade in over this time', defaultText: 'audio_fade' },
  audio_fade_out: { ...fade, help: 'fade out over this time', defaultText: 'audio_fade' },
  audio_karaoke_mode: {
    kind: 'boolean',
    default: false,
    section,
    help: 'remove what both channels share, such as the voice',
  },
} as const satisfies SettingsTable;
