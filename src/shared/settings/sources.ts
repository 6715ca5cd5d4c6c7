import type { SettingsTable } from './setting.js';

const section = 'Dependent outputs';

/** What an output is, and what it is made from. */
export const sourcesTable = {
  type: {
    rejectedValues: { cae: 'must not be cae: generate_dynamic_profile makes content-aware ladders' },
    seenIn: 'job',
    kind: 'choice',
    choices: ['standard', 'transfer-only', 'segmented', 'playlist', 'captions', 'cae'],
    rejectedChoices: ['cae'],
    aliases: { transfer_only: 'transfer-only', 'transfer only': 'transfer-only' },
    default: 'standard',
    section,
    help: 'segmented cuts it, playlist lists several, captions writes a caption file, transfer-only delivers the input',
  },
  source: {
    seenIn: 'job',
    kind: 'text',
    maxLength: 255,
    section,
    help: 'label of another output of the job, whose file is used instead of the input',
    defaultText: 'the input',
  },
  program: {
    seenIn: 'delivery',
    kind: 'text',
    maxLength: 255,
    maxNumber: 65_535,
    section: 'Programmes',
    help: 'the programme of a transport stream that is encoded, by number or name',
    defaultText: 'the one with the largest video',
  },
  copy: {
    kind: 'boolean',
    default: false,
    section: 'Dependent outputs',
    help: 'copy every track that the container holds, and encode only the others and those with settings of their own',
  },
  copy_video: {
    kind: 'boolean',
    mayBeAuto: true,
    default: false,
    section,
    help: 'copy the video without encoding it; auto: only if it already is as requested',
  },
  copy_audio: {
    kind: 'boolean',
    mayBeAuto: true,
    default: false,
    section,
    help: 'copy the audio without encoding it; auto: only if it already is as requested',
  },
} as const satisfies SettingsTable;

/** Whether an output is delivered without being encoded (`type: transfer-only`). */
export function isTransferOnly({ type }: { readonly type?: string }): boolean {
  return type === 'transfer-only';
}

const skipSection = 'Skip rules';

const sizeRule = { kind: 'size', min: 2, max: 8192, section: skipSection } as const;
const linesRule = { kind: 'integer', min: 1, max: 8192, unit: 'pixels', section: skipSection } as const;
const secondsRule = {
  kind: 'number',
  min: 0.001,
  max: 360_000,
  unit: 'seconds',
  section: skipSection,
} as const;
const bitrateRule = { kind: 'integer', min: 1, max: 1_000_000, unit: 'Kbps', section: skipSection } as const;

/** The rules of `skip`: about the input, and one about the file that was encoded. */
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
  require_audio: {
    kind: 'boolean',
    default: false,
    section: skipSection,
    help: 'skip if the input has no audio',
  },
  require_video: {
    kind: 'boolean',
    default: false,
    section: skipSection,
    help: 'skip if the input has no video',
  },
  min_saving: {
    kind: 'number',
    min: 1,
    max: 99,
    unit: 'percent',
    section: 'addition',
    help: 'skip if the encoded file would not be this much smaller than the input',
  },
} as const satisfies SettingsTable;

/** Whether an output is made at all, by the properties of the input. */
export const conditionsTable = {
  skip: {
    seenIn: 'job',
    kind: 'object',
    fields: skipRules,
    section: skipSection,
    help: 'rules about the input and about what an encode saves; if one matches, the output is not made',
  },
  min_size: { seenIn: 'job', ...sizeRule, help: 'the older form of skip.min_size' },
  max_size: { seenIn: 'job', ...sizeRule, help: 'the older form of skip.max_size' },
  min_duration: { seenIn: 'job', ...secondsRule, help: 'the older form of skip.min_duration' },
  max_duration: { seenIn: 'job', ...secondsRule, help: 'the older form of skip.max_duration' },
} as const satisfies SettingsTable;

/** The names of the skip rules that an output may also have outside `skip`. */
export const flatSkipNames = ['min_size', 'max_size', 'min_duration', 'max_duration'] as const;

const tagsSection = 'Tags and chapters';

/** What an output keeps of the tags and chapters of its input. */
export const metadataTable = {
  metadata: {
    kind: 'map',
    of: 'tags',
    words: ['keep', 'drop', 'keep-all'],
    max: 100,
    maxNameLength: 100,
    maxLength: 10_000,
    reserved: [],
    example: { title: 'Holidays', date: '2026' },
    section: tagsSection,
    help: 'tags to set besides those of the input, as title=Holidays; or keep, keep-all (with its location) or drop',
    defaultText: 'keep',
  },
  chapters: {
    kind: 'choice',
    choices: ['keep', 'drop'],
    default: 'keep',
    section: tagsSection,
    help: 'chapters of the input',
  },
  cover: {
    kind: 'url',
    words: ['keep', 'drop'],
    example: 'https://example.com/cover.jpg',
    section: tagsSection,
    help: 'cover images of the input: keep, drop, or the URL of an image that replaces them (PNG, JPEG, GIF or BMP)',
    defaultText: 'keep',
  },
} as const satisfies SettingsTable;

/** The URL of the cover image of an output; null if it has none of its own. */
export function coverUrlOf({ cover = 'keep' }: { readonly cover?: string }): string | null {
  return cover === 'keep' || cover === 'drop' ? null : cover;
}
