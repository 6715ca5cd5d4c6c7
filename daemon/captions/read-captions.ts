import { type Captions, errorAt, linesOf, normalizeCues } from './cues.js';
import { parseTtml } from './read-ttml.js';
import { parseSami } from './sami.js';
import { parseSubrip } from './subrip.js';
import { parseSubstation } from './substation.js';
import { parseWebvtt } from './webvtt.js';

/** The formats of caption files that are read here. */
type ParsedFormat = 'srt' | 'webvtt' | 'ssa' | 'ttml' | 'sami';
/** The formats that ffmpeg converts to SubRip first, by the names of its demuxers. */
type ConvertedFormat = 'scc' | 'stl' | 'mpl2';
/** A format of caption files. */
export type CaptionFormat = ParsedFormat | ConvertedFormat;

/** Names of formats in requests, besides those of `CaptionFormat`. */
const otherNames: Readonly<Record<string, CaptionFormat>> = {
  ...{ vtt: 'webvtt', ass: 'ssa', dfxp: 'ttml', xml: 'ttml', smi: 'sami' },
};

const parsers: Readonly<Record<ParsedFormat, (text: string, language?: string) => Captions>> = {
  srt: parseSubrip,
  webvtt: parseWebvtt,
  ssa: parseSubstation,
  ttml: parseTtml,
  sami: parseSami,
};

/** Whether ffmpeg must convert a file of this format to SubRip. */
export function isConverted(format: CaptionFormat): format is ConvertedFormat {
  return !Object.hasOwn(parsers, format);
}

/** The format that a request names. */
export function formatNamed(name: string): CaptionFormat {
  // The table of settings has no other names.
  return otherNames[name] ?? (name as CaptionFormat);
}

/** The format of a text; null if it is not recognised. Names of files do not matter. */
export function detectFormat(text: string): CaptionFormat | null {
  const start = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .slice(0, 4096);
  if (/^WEBVTT/.test(start)) return 'webvtt';
  if (/^Scenarist_SCC/i.test(start)) return 'scc';
  if (/^\[script info\]/i.test(start) || /^\[Events\]\s*$/im.test(start)) return 'ssa';
  if (/<sami\b/i.test(start)) return 'sami';
  if (/^<(?:\?xml|!--|(?:\w+:)?tt\b)/.test(start) && /<(?:\w+:)?tt\b/.test(text.slice(0, 65_536)))
    return 'ttml';
  if (/-->/.test(start)) return 'srt';
  if (/^\[-?\d+\]\s*\[-?\d*\]/.test(start)) return 'mpl2';
  return /^\d\d:\d\d:\d\d:\d\d\s*,\s*\d\d:\d\d:\d\d:\d\d\s*,/m.test(start) ? 'stl' : null;
}

/**
 * Parses a caption file. A file of several languages yields those in `language`, or in its first one. Throws
 * `RangeError`, with line and column where there is one, if it is not valid.
 */
export function readCaptions(text: string, format: ParsedFormat, language?: string): Captions {
  const captions = normalizeCues(parsers[format](text.replace(/^\uFEFF/, ''), language));
  if (captions.cues.length === 0) throw errorAt(1, 1, 'there are no captions');
  return captions;
}

/**
 * The text of a file as ffmpeg should convert it: without blanks at the `|` between two lines of a caption, which it
 * would keep.
 */
export function textToConvert(text: string, format: ConvertedFormat): string {
  if (format === 'scc') return text;
  const trimmed = (line: string) =>
    line
      .split('|')
      .map((part) => part.trim())
      .join('|');
  return linesOf(text).map(trimmed).join('\n');
}

const sccLine = /^\d\d:\d\d:\d\d[:;]\d\d[ \t]+(?:[\da-f]{4}\s*)+$/i;

/**
 * Throws `RangeError` with line and column if a file that ffmpeg converts is not valid: ffmpeg skips what it does not
 * understand.
 */
export function validateConverted(text: string, format: ConvertedFormat): void {
  if (format !== 'scc') return;
  for (const [index, line] of linesOf(text).entries()) {
    if (index === 0 || line.trim() === '' || sccLine.test(line)) continue;
    const valid = /^\d\d:\d\d:\d\d[:;]\d\d[ \t]+(?:[\da-f]{4}\s+)*/i.exec(line)?.[0].length ?? 0;
    throw errorAt(index + 1, valid + 1, valid === 0 ? 'the line has no time code' : 'the data are not valid');
  }
}
