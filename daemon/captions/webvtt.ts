import {
  type Captions,
  type Cue,
  checkCount,
  cuesOfSegments,
  cuesWithText,
  errorAt,
  linesOf,
  timeText,
} from './cues.js';
import { withoutEntities } from './entities.js';
import { spansOfTags, taggedText } from './styled-text.js';

/*
 * WebVTT: https://www.w3.org/TR/webvtt1/
 */

/**
 * The text of a WebVTT file. In a segment of HLS, `firstPts` is the presentation time of the first video segment in
 * units of 90 kHz (RFC 8216, section 3.5).
 */
export function webvttText(
  { cues, syntax, header: styles }: Pick<Captions, 'cues' | 'syntax' | 'header'>,
  firstPts?: number,
): string {
  const isNative = syntax === 'webvtt';
  const timestamps = firstPts === undefined ? [] : [`X-TIMESTAMP-MAP=MPEGTS:${firstPts},LOCAL:00:00:00.000`];
  const blocks = cuesWithText(cues).map((cue) => {
    const times = `${timeText(cue.startMs)} --> ${timeText(cue.endMs)}`;
    const text =
      isNative && cue.raw !== undefined
        ? cue.raw
        : cue.spans.map((span) => taggedText(span, escaped)).join('');
    // An empty line would end the cue.
    const content = text.replaceAll(/\n(?=\n|$)/g, '\n&nbsp;');
    return `${times}${cue.settings === undefined ? '' : ` ${cue.settings}`}\n${content}\n`;
  });
  const styleBlock = isNative && styles !== undefined ? [`${styles}\n`] : [];
  return `${['WEBVTT', ...timestamps].join('\n')}\n\n${[...styleBlock, ...blocks].join('\n')}`;
}

/**
 * The captions of a video as one WebVTT file for each of its segments, which begin at the given times in milliseconds
 * and end where the next one begins, the last at `endMs`. A cue that crosses a boundary is in both segments.
 * `firstPts`: see `webvttText`.
 */
export function webvttSegments(
  captions: Captions,
  segments: { readonly startsMs: readonly number[]; readonly endMs: number; readonly firstPts: number },
): readonly string[] {
  const { startsMs, endMs, firstPts } = segments;
  let length = 0;
  return cuesOfSegments(captions.cues, startsMs, endMs).map((cues) => {
    const text = webvttText({ ...captions, cues }, firstPts);
    length += text.length;
    if (length > maxSegmentsLength)
      throw new RangeError(
        'The captions have more than 100 million characters in all segments. Shorten their styles or their times.',
      );
    return text;
  });
}

/** Styles are in every segment, and a caption is in each one in which it is shown. */
const maxSegmentsLength = 100_000_000;

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const time = /^((?:\d{2,}:)?[0-5]\d:[0-5]\d\.\d{3})$/;

/**
 * Parses WebVTT. Styles and regions are kept as they are, notes are skipped. Throws `RangeError` with line and column
 * if the file is not WebVTT, and if a time is invalid.
 */
export function parseWebvtt(text: string): Captions {
  const lines = linesOf(text.replace(/^\uFEFF/, ''));
  if (!/^WEBVTT(?:[ \t].*)?$/.test(lines[0] ?? ''))
    throw errorAt(1, 1, 'the file does not begin with WEBVTT');
  const cues: Cue[] = [];
  const headers: string[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const isHeader = /^(?:STYLE|REGION)[ \t]*$/.test(line);
    if (!isHeader && !line.includes('-->') && !/^NOTE(?:[ \t].*)?$/.test(line)) {
      if (/^[\d:]+\.\d{3}\s/.test(line)) throw errorAt(at + 1, 1, 'the line has a time, but no -->');
      continue;
    }
    // A line with an arrow ends a block as well: the empty line before it may be missing.
    let end = at + 1;
    while (end < lines.length && lines[end] !== '' && !lines[end]?.includes('-->')) end += 1;
    const block = lines.slice(at + 1, end);
    if (isHeader) {
      headers.push([line, ...block].join('\n'));
    } else if (line.includes('-->')) {
      const raw = block.join('\n');
      cues.push({ ...timesOf(line, at + 1), spans: spansOf(raw), raw });
      checkCount(cues.length);
    }
    at += block.length;
  }
  return {
    syntax: 'webvtt',
    ...(headers.length === 0 ? {} : { header: headers.join('\n\n') }),
    cues,
    language: null,
    warnings: [],
  };
}

function timesOf(line: string, number: number): Pick<Cue, 'startMs' | 'endMs' | 'settings'> {
  const arrow = line.indexOf('-->');
  const start = time.exec(line.slice(0, arrow).trim())?.[1];
  if (start === undefined) throw errorAt(number, 1, 'the start of the caption is not a time');
  const [endText = '', ...settings] = line
    .slice(arrow + 3)
    .trim()
    .split(/[ \t]+/);
  const end = time.exec(endText)?.[1];
  if (end === undefined) throw errorAt(number, arrow + 4, 'the end of the caption is not a time');
  const times = { startMs: milliseconds(start), endMs: milliseconds(end) };
  return settings.length === 0 ? times : { ...times, settings: settings.join(' ') };
}

function milliseconds(text: string): number {
  const [seconds = 0, minutes = 0, hours = 0] = text.split(':').toReversed().map(Number);
  return Math.round(((hours * 60 + minutes) * 60 + seconds) * 1000);
}

// The name is followed by no letter, so that a tag without an end is read only once.
const tag = /<(\/?)([a-z]*)(?![a-z])[^<>]*>/g;

function spansOf(raw: string): Cue['spans'] {
  // Unlike in HTML, an entity ends with a semicolon.
  const toText = (part: string) => part.replaceAll(/&#?\w{1,16};/g, withoutEntities);
  return spansOfTags(raw, { tag, toText });
}
