import type { SettingsTable } from './setting.js';

const section = 'Skip rules';

const sizeRule = { kind: 'size', min: 2, max: 8192, section } as const;
const linesRule = { kind: 'integer', min: 1, max: 8192, unit: 'pixels', section } as const;
const secondsRule = { kind: 'number', min: 0.001, max: 360_000, unit: 'seconds', section } as const;
const bitrateRule = { kind: 'integer', min: 1, max: 1_000_000, unit: 'Kbps', section } as const;

/** The rules of `skip`. */
const skipRules = {
  min_size: { ...sizeRule, help: 'skip if width times height of the input is below this' },
  max_size: { ...sizeRule, help: 'skip if width times height of the input is above this' },
  min_height: { ...linesRule, help: 'skip if the input is lower' },
  max_height: { ...linesRule, help: 'skip if the input is higher' },
  min_duration: { ...secondsRule, help: 'skip if the input is shorter' },
  max_duration: { ...secondsRule, help: 'skip if the input is longer' },
  min_audio_bitrate: { ...bitrateRule, help: 'skip if the audio bitrate of the input is lower' },
  max_audio_bitrate: { ...bitrateRule, help: 'skip if the audio bitrate of the input is higher' },
  min_video_bitrate: { ...bitrateRule, help: 'skip if the video bitrate of the input is lower' },
  max_video_bitrate: { ...bitrateRule, help: 'skip if the video bitrate of the input is higher' },
  require_audio: { kind: 'boolean', default: false, section, help: 'skip if the input has no audio' },
  require_video: { kind: 'boolean', default: false, section, help: 'skip if the input has no video' },
} as const satisfies SettingsTable;

/** Whether an output is made at all, by the properties of the input. */
export const conditionsTable = {
  skip: {
    seenIn: 'job',
    kind: 'object',
    fields: skipRules,
    section,
    help: 'rules about the input; if one matches, the output is not made',
  },
  min_size: { seenIn: 'job', ...sizeRule, help: 'the older form of skip.min_size' },
  max_size: { seenIn: 'job', ...sizeRule, help: 'the older form of skip.max_size' },
  min_duration: { seenIn: 'job', ...secondsRule, help: 'the older form of skip.min_duration' },
  max_duration: { seenIn: 'job', ...secondsRule, help: 'the older form of skip.max_duration' },
} as const satisfies SettingsTable;

/** The names of the skip rules that an output may also have outside `skip`. */
export const flatSkipNames = ['min_size', 'max_size', 'min_duration', 'max_duration'] as const;
