import { type Captions, type Cue, checkCount, errorAt, linesOf, plainText } from './cues.js';
import { spansOfTags } from './styled-text.js';

/*
 * SubStation Alpha: SSA (version 4.00) and ASS (4.00+). A cue keeps its line, so that an ASS file keeps all of its
 * styles. The places of the times in this line are the two characters below.
 */
const startMark = '\u0001';
const endMark = '\u0002';
/** Encloses a tag that stands for an override. */
const overrideMark = '\u0003';
/** These characters in a file, which would be taken for places of times or overrides. */
const reserved = new RegExp(`[${startMark}-${overrideMark}]`, 'g');

/** Parses SSA or ASS. Throws `RangeError` with line and column if the file has no events, or one is invalid. */
export function parseSubstation(text: string): Captions {
  const lines = linesOf(text);
  const cues: Cue[] = [];
  const header: string[] = [];
  let section = '';
  let isAss = false;
  let columns: readonly string[] = [];
  for (const [index, line] of lines.entries()) {
    const heading = /^\s*\[([^\]]+)\]\s*$/.exec(line)?.[1];
    section = heading?.toLowerCase() ?? section;
    isAss ||= /^\s*ScriptType\s*:\s*v4\.00\+/i.test(line);
    if (section !== 'events') {
      header.push(line);
    } else if (/^\s*Format\s*:/i.test(line)) {
      const named = line.slice(line.indexOf(':') + 1).split(',');
      const names = named.map((name) => name.trim().toLowerCase());
      // The lines of captions are kept, and a file that is written has one line for all of them.
      if (cues.length > 0 && names.join() !== columns.join())
        throw errorAt(index + 1, 1, 'a second line "Format:" has other fields');
      columns = names;
    } else if (/^\s*Dialogue\s*:/i.test(line)) {
      cues.push(cueOf(line, index + 1, columns));
      checkCount(cues.length);
    }
  }
  if (columns.length === 0) throw errorAt(lines.length, 1, 'the section [Events] has no line "Format:"');
  return {
    syntax: isAss ? 'ass' : 'other',
    header: [...header, '[Events]', `Format: ${columns.map(capitalized).join(', ')}`].join('\n'),
    cues,
    language: null,
    warnings: [],
  };
}

function capitalized(name: string): string {
  return name.startsWith('margin')
    ? `Margin${name.slice(6).toUpperCase()}`
    : `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
}

function cueOf(line: string, number: number, columns: readonly string[]): Cue {
  const values = line.slice(line.indexOf(':') + 1).trimStart();
  const parts = values.split(',');
  const [start, end, content] = ['start', 'end', 'text'].map((name) => columns.indexOf(name));
  if (start === undefined || end === undefined || content === undefined || Math.min(start, end, content) < 0)
    throw errorAt(number, 1, 'the line "Format:" must precede it and name Start, End and Text');
  if (parts.length < columns.length)
    throw errorAt(number, line.length + 1, `the line has ${parts.length} of ${columns.length} fields`);
  // Only the text, which is last, may contain commas.
  const fields = [...parts.slice(0, content), parts.slice(content).join(',')];
  const timeAt = (at: number) => {
    const ms = milliseconds(fields[at] ?? '');
    if (ms !== null) return ms;
    const before = fields
      .slice(0, at)
      .reduce((sum, field) => sum + field.length + 1, line.length - values.length);
    throw errorAt(number, before + 1, `"${(fields[at] ?? '').slice(0, 40)}" is not a time`);
  };
  const times = { startMs: timeAt(start), endMs: timeAt(end) };
  const raw = fields
    .map((field, at) => (at === start ? startMark : at === end ? endMark : field.replace(reserved, '')))
    .join(',');
  const spans = spansOf((fields[content] ?? '').replace(reserved, ''));
  const isDrawing = plainText({ spans }).trim() === '' && /\\p[1-9]/.test(fields[content] ?? '');
  return { ...times, spans, raw, ...(isDrawing ? { isDrawing } : {}) };
}

function milliseconds(text: string): number | null {
  const [, sign, hours, minutes, seconds, fraction = '0'] =
    /^\s*(-?)(\d+):(\d{1,2}):(\d{1,2})(?:[.:](\d{1,3}))?\s*$/.exec(text) ?? [];
  if (hours === undefined) return null;
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  const ms = whole * 1000 + Number(fraction.padEnd(3, '0'));
  return sign === '-' ? -ms : ms;
}

/**
 * An override of a style or of the mode of drawing. Others begin with the same letters, such as `\\bord2` and
 * `\\pos(1,2)`.
 */
const override = /\\([ibup])(\d*)(?![A-Za-z\d(])/g;

function spansOf(content: string): Cue['spans'] {
  // Overrides become tags: {\i1} is <i>, {\i0} is </i>.
  let isDrawing = false;
  const tagOf = ([, name = '', value = '']: RegExpMatchArray) => {
    if (name !== 'p') return `${overrideMark}${value === '0' ? '/' : ''}${name}${overrideMark}`;
    isDrawing = value !== '0' && value !== '';
    return '';
  };
  // Every second part is a block of overrides. The text after {\p1} draws a shape, until {\p0}.
  const tagged = content
    .split(/(\{[^{}]*\})/)
    .map((part, index) => {
      if (index % 2 === 0) return isDrawing ? '' : part;
      return Array.from(part.matchAll(override), tagOf).join('');
    })
    .join('');
  const toText = (part: string) => part.replaceAll(/\\n/gi, '\n').replaceAll('\\h', '\u00A0');
  return spansOfTags(tagged, { tag: new RegExp(`${overrideMark}(/?)([ibu])${overrideMark}`, 'g'), toText });
}

/** The text of an ASS file with captions that were read from one. */
export function assText({ header = '', cues }: Pick<Captions, 'header' | 'cues'>): string {
  const lines = cues.map(({ startMs, endMs, raw = '' }) =>
    raw.replace(startMark, timeText(startMs)).replace(endMark, timeText(endMs)),
  );
  return `${[header, ...lines.map((line) => `Dialogue: ${line}`)].join('\n')}\n`;
}

/** A time as `H:MM:SS.cc`. */
function timeText(ms: number): string {
  const hundredths = Math.round(ms / 10);
  const seconds = Math.floor(hundredths / 100);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${Math.floor(seconds / 3600)}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}.${two(hundredths % 100)}`;
}
