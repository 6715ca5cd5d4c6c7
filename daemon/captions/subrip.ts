import { type Captions, type Cue, checkCount, cuesWithText, errorAt, linesOf, timeText } from './cues.js';
import { spansOfTags, taggedText } from './styled-text.js';

/*
 * SubRip (SRT). The format has no specification. This reader accepts what players accept: any line ends, missing or
 * wrong counters, a point as the decimal separator, and empty lines within a text.
 */

/** A line that should have the times of a cue. Other lines with an arrow are text. */
const isTiming = /^\s*-?\d+:\d.*-->|^[\s\d:;.,-]*-->\s*-?\d+[:;]\d/;
/** A line with two whole times that lack an arrow. */
const lacksArrow = /^\s*-?\d+:\d{1,2}:\d{1,2}[,.]\d{1,3}[\s\-–—=~>→]+-?\d+:\d/;
/**
 * A line after a counter that has nothing but times, or a part of them. Elsewhere it is text: some cameras write their
 * clock.
 */
const isPartOfTiming = /^\s*-?\d+:\d{1,2}:[\d\s:;.,\-–—=~>→]*$/;
const timePattern = /^\s*(-?)(\d{1,5}):(\d{1,2}):(\d{1,2})(?:[,.:](\d{1,3})\d*)?\s*$/;

/** Parses SubRip. Throws `RangeError` with line and column if there is no cue, or one has invalid times. */
export function parseSubrip(text: string): Captions {
  const lines = linesOf(text);
  const starts = lines.flatMap((line, index) => (isTiming.test(line) ? [index] : []));
  for (const [index, line] of lines.entries()) checkLine(line, index, lines);
  if (starts.length === 0) throw errorAt(1, 1, 'there are no captions');
  checkCount(starts.length);
  const cues = starts.map((at, position): Cue => {
    const next = starts[position + 1];
    const raw = contentOf(lines.slice(at + 1, next ?? lines.length), next !== undefined);
    return { ...timesOf(lines[at] ?? '', at + 1), spans: spansOf(raw), raw };
  });
  return { syntax: 'subrip', cues, language: null, warnings: [] };
}

/** Throws `RangeError` if a line would be text, but should be the times of a cue. */
function checkLine(line: string, index: number, lines: readonly string[]): void {
  if (isTiming.test(line)) return;
  const isAfterCounter =
    index > 0 && isCounter.test(lines[index - 1] ?? '') && (lines[index - 2] ?? '').trim() === '';
  if (!lacksArrow.test(line) && !(isAfterCounter && isPartOfTiming.test(line))) return;
  const [start = ''] = /^\s*-?[\d:;.,]+/.exec(line) ?? [];
  throw errorAt(index + 1, start.length + 1, 'the line has a time, but no -->');
}

const isCounter = /^\s*\d+\s*$/;

/** The text of a cue: without the counter of the next one, and without empty lines at its ends. */
function contentOf(lines: readonly string[], isFollowed: boolean): string {
  const own = isFollowed && isCounter.test(lines.at(-1) ?? '') ? lines.slice(0, -1) : lines;
  const first = own.findIndex((line) => line.trim() !== '');
  const last = own.findLastIndex((line) => line.trim() !== '');
  return first === -1 ? '' : own.slice(first, last + 1).join('\n');
}

function timesOf(line: string, number: number): { readonly startMs: number; readonly endMs: number } {
  const arrow = line.indexOf('-->');
  const startMs = milliseconds(line.slice(0, arrow));
  if (startMs === null) throw errorAt(number, 1, 'the start of the caption is not a time');
  // Some files have coordinates after the times.
  const rest = line.slice(arrow + 3);
  const coordinates = rest.search(/\s[XY]\d:/i);
  const end = coordinates === -1 ? rest : rest.slice(0, coordinates);
  const endMs = milliseconds(end);
  if (endMs === null) throw errorAt(number, arrow + 4, 'the end of the caption is not a time');
  return { startMs, endMs };
}

function milliseconds(text: string): number | null {
  const [, sign, hours, minutes, seconds, fraction = '0'] = timePattern.exec(text) ?? [];
  if (hours === undefined) return null;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const ms = whole * 1000 + Number(fraction.padEnd(3, '0'));
  return sign === '-' ? -ms : ms;
}

/** Tags that players know. Everything else in angle brackets is text. */
const tag = /<(\/?)(i|b|u|s|font)(?:\s[^<>]*)?>|\{\\an?\d{1,2}\}|\{\\[^{}]*\}/gi;

function spansOf(raw: string): Cue['spans'] {
  return spansOfTags(raw, { tag, toText: (text) => text });
}

/** The text of a SubRip file. */
export function subripText({ cues, syntax }: Pick<Captions, 'cues' | 'syntax'>): string {
  const blocks = cuesWithText(cues).map((cue, index) => {
    const times = `${timeText(cue.startMs, ',')} --> ${timeText(cue.endMs, ',')}`;
    const text =
      syntax === 'subrip' && cue.raw !== undefined
        ? cue.raw
        : withoutTimings(cue.spans.map((span) => taggedText(span, (part) => part)).join(''));
    // An empty line would end the cue.
    return `${index + 1}\n${times}\n${text.replaceAll(/\n(?=\n|$)/g, '\n\u00A0')}\n`;
  });
  return blocks.join('\n');
}

/**
 * A text whose lines are no times of another cue: a zero-width space precedes those that readers would take for one.
 */
function withoutTimings(text: string): string {
  const isTime = (line: string) => isTiming.test(line) || lacksArrow.test(line) || isPartOfTiming.test(line);
  return text
    .split('\n')
    .map((line) => (isTime(line) ? `\u200B${line}` : line))
    .join('\n');
}
