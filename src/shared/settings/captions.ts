import { fileNameInUrl } from '../text/url-text.js';
import { trackSelector, trackSelectors } from './audio.js';
import type { RequestWarning, SettingsTable } from './setting.js';

const section = 'Captions';

/** One caption file. */
export const captionFileTable = {
  url: {
    seenIn: 'delivery',
    kind: 'url',
    example: 'https://example.com/film.en.srt',
    isRequired: true,
    mayBePath: true,
    section,
    help: 'URL of the file: SubRip, WebVTT, SSA, TTML (DFXP), SAMI, SCC, STL or MPL2, by any input scheme',
  },
  language: {
    seenIn: 'delivery',
    kind: 'text',
    maxLength: 35,
    example: 'de',
    section,
    help: 'the language of the captions, such as de, deu or de-AT; of several in the file, the one to read',
    defaultText: 'that of the file, or none',
  },
  label: {
    kind: 'text',
    maxLength: 100,
    section,
    help: 'the title of the track',
    defaultText: 'the name of the language',
  },
  default: { kind: 'boolean', default: false, section, help: 'whether players show this track at the start' },
  forced: {
    kind: 'boolean',
    default: false,
    section,
    help: 'whether players show this track even if captions are off',
  },
  hearing_impaired: {
    kind: 'boolean',
    default: false,
    section,
    help: 'whether this track is for people who do not hear',
  },
  format: {
    seenIn: 'delivery',
    kind: 'choice',
    choices: [
      'srt',
      'webvtt',
      'vtt',
      'ssa',
      'ass',
      'dfxp',
      'ttml',
      'xml',
      'sami',
      'smi',
      'scc',
      'stl',
      'mpl2',
    ],
    section,
    help: 'the format of the file',
    defaultText: 'by its content',
  },
  encoding: {
    seenIn: 'delivery',
    kind: 'text',
    maxLength: 40,
    example: 'windows-1252',
    section,
    help: 'the character encoding of the file, if it has no byte order mark',
    defaultText: 'utf-8 if the file is valid, otherwise windows-1252',
  },
} as const satisfies SettingsTable;

/** The captions of an output. */
export const captionsTable = {
  caption_url: {
    kind: 'list',
    of: { kind: 'object', fields: captionFileTable, textField: 'url', section, help: 'one caption file' },
    max: 20,
    spellings: ['captions_url'],
    section,
    help: 'caption files that become tracks of the output, or WebVTT next to it if its container has no tracks',
  },
  subtitle_tracks: {
    ...trackSelectors,
    of: {
      ...trackSelector,
      section,
      help: 'a language code, und, a number from 1, or a purpose: forced, hearing_impaired, commentary, original or dub; eng:1 is the first of several',
    },
    section,
    help: 'the subtitles of the input to keep or burn: all, default, or a list in this order',
    defaultText: 'all',
  },
  skip_captions: {
    kind: 'boolean',
    default: false,
    section,
    help: 'omit all captions: the subtitles of the input, and captions within its video',
  },
  language: {
    seenIn: 'delivery',
    kind: 'text',
    maxLength: 35,
    form: { pattern: '[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8})*', rule: 'must be a language code', example: 'en' },
    section,
    help: 'of an output of type captions: the language of the track of the input to write',
    defaultText: 'that of the default track',
  },
  segmented: {
    kind: 'boolean',
    section,
    help: 'of an output of type captions with format m3u8: cut the captions into segments',
    defaultText: 'true',
  },
  subtitles: {
    kind: 'choice',
    choices: ['keep', 'drop', 'burn', 'sidecar'],
    default: 'keep',
    section,
    help: 'subtitles of the input and caption_url: keep as tracks, drop, burn one into the video, or files next to it',
  },
} as const satisfies SettingsTable;

/** Whether an output is a file of captions. */
export function isCaptions({ type }: { readonly type?: unknown }): boolean {
  return type === 'captions';
}

/** Whether an output of captions is a playlist of HTTP Live Streaming, with the captions next to it. */
export function isCaptionPlaylist(
  settings: Parameters<typeof captionFormat>[0] & {
    readonly type?: unknown;
    readonly url?: string;
    readonly filename?: string;
  },
): boolean {
  const name = fileNameInUrl(settings.url ?? settings.filename ?? '');
  const found = captionFormat(settings, name);
  return isCaptions(settings) && 'format' in found && found.format === 'm3u8';
}

/** The formats of files of captions, by their names in `format` and the extensions of files. */
const captionFormats = {
  webvtt: { format: 'webvtt', extension: '.vtt' },
  vtt: { format: 'webvtt', extension: '.vtt' },
  srt: { format: 'srt', extension: '.srt' },
  dfxp: { format: 'dfxp', extension: '.dfxp' },
  ttml: { format: 'dfxp', extension: '.ttml' },
  xml: { format: 'dfxp', extension: '.xml' },
  mp4: { format: 'mp4', extension: '.mp4' },
  m3u8: { format: 'm3u8', extension: '.m3u8' },
  scc: { format: 'scc', extension: '.scc' },
} as const;

/**
 * The format of an output of captions: `format`, or `streaming_delivery_format: hls`, or that of its name, or WebVTT.
 * `reason` says why it cannot be made.
 */
export function captionFormat(
  {
    format: given,
    streaming_delivery_format: streaming,
  }: { readonly format?: string; readonly streaming_delivery_format?: string },
  name: string,
): (typeof captionFormats)[keyof typeof captionFormats] | { readonly reason: string } {
  const format =
    given ??
    (streaming === 'hls' ? 'm3u8' : undefined) ??
    /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ??
    'webvtt';
  if (Object.hasOwn(captionFormats, format)) return captionFormats[format as keyof typeof captionFormats];
  return { reason: 'must be webvtt, dfxp, srt, mp4, m3u8 or scc if type is captions' };
}

/** Warnings about settings of captions that have no effect. */
export function ineffectiveCaptionSettings(
  settings: { readonly type?: string; readonly language?: string; readonly segmented?: boolean },
  path: string,
): readonly RequestWarning[] {
  if (isCaptions(settings) || settings.type === 'playlist') return [];
  return [
    ...(settings.language === undefined
      ? []
      : [
          {
            field: `${path}.language`,
            message: 'has no effect: only an output of type captions has a language',
          },
        ]),
    ...(settings.segmented === true
      ? [{ field: `${path}.segmented`, message: 'has no effect: only an output of type captions has it' }]
      : []),
  ];
}
