import type { SettingsOf, SettingsTable } from './setting.js';

const section = 'HDR';

const x = { kind: 'number', min: 0.0001, max: 0.74, isRequired: true, section } as const;
const y = { ...x, max: 0.84 } as const;
const point = {
  kind: 'object',
  isRequired: true,
  isOrdered: true,
  fields: { x: { ...x, help: 'x of CIE 1931' }, y: { ...y, help: 'y of CIE 1931' } },
  section,
} as const;
const needsDolbyVision = 'Dolby Vision is not supported';

/** The display that a video was mastered on (SMPTE ST 2086). */
const masterDisplayTable = {
  red: { ...point, help: 'chromaticity of red' },
  green: { ...point, spellings: ['greeen'], help: 'chromaticity of green' },
  blue: { ...point, help: 'chromaticity of blue' },
  white_point: { ...point, help: 'chromaticity of white' },
  luminance: {
    kind: 'object',
    isRequired: true,
    isOrdered: true,
    fields: {
      min: {
        ...{ kind: 'number', min: 0.0001, max: 5, unit: 'nits', isRequired: true, section },
        help: 'the darkest level',
      },
      max: {
        ...{ kind: 'number', min: 5, max: 10_000, unit: 'nits', isRequired: true, section },
        help: 'the brightest level',
      },
    },
    spellings: ['luminence'],
    section,
    help: 'range of brightness',
  },
} as const satisfies SettingsTable;

/** What an output keeps of the high dynamic range of its input, and what it declares about it. */
export const hdrTable = {
  hdr: {
    kind: 'choice',
    choices: ['keep', 'tone-map'],
    default: 'tone-map',
    section,
    help: 'HDR of the input: keep it in hevc and av1, with 10 bits and its metadata, or convert it to standard range',
  },
  hdr_format: {
    kind: 'choice',
    choices: ['hdr10', 'pq', 'hlg', 'dv5', 'dv8.1'],
    rejectedChoices: ['dv5', 'dv8.1'],
    rejectedValues: {
      dv5: `must not be dv5: ${needsDolbyVision}`,
      'dv8.1': `must not be dv8.1: ${needsDolbyVision}`,
    },
    section,
    help: 'keep the HDR of the input in this format; hdr10 is pq with metadata',
    defaultText: 'that of the input with preserve_hdr_metadata or hdr',
  },
  preserve_hdr_metadata: {
    kind: 'boolean',
    default: false,
    section,
    help: 'keep the HDR of the input, with its format, mastering display and light levels',
  },
  master_display: {
    kind: 'object',
    fields: masterDisplayTable,
    example: {
      red: { x: 0.68, y: 0.32 },
      green: { x: 0.265, y: 0.69 },
      blue: { x: 0.15, y: 0.06 },
      white_point: { x: 0.3127, y: 0.329 },
      luminance: { min: 0.005, max: 1000 },
    },
    section,
    help: 'the display that the video was mastered on, as red=x/y and so on; needs hdr_format hdr10',
  },
  max_content_light_level: {
    kind: 'integer',
    min: 0,
    max: 10_000,
    unit: 'nits',
    section,
    help: 'the brightest pixel of the video; needs hdr_format hdr10 and max_frame_average_light_level',
  },
  max_frame_average_light_level: {
    kind: 'integer',
    min: 5,
    max: 10_000,
    unit: 'nits',
    section,
    help: 'the average of the brightest frame; needs max_content_light_level',
  },
} as const satisfies SettingsTable;

/** The settings of HDR of an output, and the one that contradicts them. */
type HdrSettings = SettingsOf<typeof hdrTable> & { readonly color_metadata?: string };

/** The setting of the service that demands HDR of an output; null if none does. */
export function demandedHdr({
  hdr_format,
  preserve_hdr_metadata,
}: HdrSettings): 'hdr_format' | 'preserve_hdr_metadata' | null {
  if (hdr_format !== undefined) return 'hdr_format';
  return preserve_hdr_metadata === true ? 'preserve_hdr_metadata' : null;
}

const lightLevels = ['max_content_light_level', 'max_frame_average_light_level'] as const;

/** A validation error of these settings, without the path of the output; undefined if they agree. */
export function hdrConflict(settings: HdrSettings): string | undefined {
  const data = (['master_display', ...lightLevels] as const).find((name) => settings[name] !== undefined);
  if (data !== undefined && settings.hdr_format !== 'hdr10') return `.${data} needs hdr_format hdr10`;
  const given = lightLevels.filter((name) => settings[name] !== undefined);
  if (given.length === 1) return `.${given[0]} needs ${lightLevels.find((name) => name !== given[0])}`;
  const name = demandedHdr(settings) ?? (settings.hdr === 'keep' ? 'hdr' : null);
  if (name === null) return undefined;
  if (settings.hdr === 'tone-map') return `.${name} must not be given with hdr tone-map`;
  return settings.color_metadata === 'discard'
    ? `.${name} must not be given with color_metadata discard`
    : undefined;
}
