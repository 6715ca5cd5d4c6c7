import { VencError } from './errors.js';
import { findSuggestions } from './text/suggestions.js';

/** Creates a parser for an option whose value is a whole number from `min` to `max`. */
export function integerParser(flag: string, min: number, max: number = Number.MAX_SAFE_INTEGER) {
  return (word: string): number => {
    const value = /^\d+$/.test(word) ? Number(word) : Number.NaN;
    if (value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new VencError('UsageError', `${flag} takes a whole number ${range}, not "${word}".`);
  };
}

/**
 * Creates a parser for an option whose value is a duration: `90`, `90s`, `5m`, `2h`, `1:30` or `01:30:00`. Returns
 * seconds.
 */
export function durationParser(flag: string) {
  return (word: string): number => {
    const seconds = /^\d+(?:\.\d+)?$/.test(word) ? Number(word) : parseTypedSeconds(word);
    if (seconds !== null) return seconds;
    throw new VencError('UsageError', `${flag} takes a time such as 90, 90s, 5m, 2h or 1:30, not "${word}".`);
  };
}

const secondsPerAgeUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Creates a parser for an option whose value is an age: `90s`, `45m`, `12h`, `30d` or `2w`. Returns seconds. */
export function ageParser(flag: string) {
  return (word: string): number => {
    const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(word) ?? [];
    const perUnit = secondsPerAgeUnit[unit];
    if (amount !== undefined && perUnit !== undefined) return Number(amount) * perUnit;
    throw new VencError('UsageError', `${flag} takes an age such as 12h, 30d or 2w, not "${word}".`);
  };
}

/**
 * Creates a parser for an option whose value is a comma-separated list of words; the option can also be repeated.
 * `choices` is for completions and manuals.
 */
export function listParser<Word extends string>(flag: string, choices: readonly Word[]) {
  const parseOne = choiceParser(flag, choices);
  const parse = (words: string, before: readonly Word[] = []): readonly Word[] => [
    ...before,
    ...words.split(',').map((word) => parseOne(word.trim())),
  ];
  return Object.assign(parse, { choices });
}

/** Creates a parser for an option whose value is one of `choices`. `choices` is for completions and manuals. */
export function choiceParser<Word extends string>(flag: string, choices: readonly Word[]) {
  const parse = (word: string): Word => {
    const found = choices.find((choice) => choice === word);
    if (found !== undefined) return found;
    const suggestions = findSuggestions(word, choices);
    const hint = suggestions.length === 0 ? {} : { hint: `did you mean ${suggestions.join(', ')}?` };
    throw new VencError('UsageError', `${flag} takes ${listAlternatives(choices)}, not "${word}".`, hint);
  };
  return Object.assign(parse, { choices });
}

function listAlternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

const bytesPerUnit: Readonly<Record<string, number>> = { '': 1, k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

/**
 * Creates a parser for an option whose value is a size: `1000000`, `500MB` or `2G` (decimal units). Returns bytes.
 */
export function byteSizeParser(flag: string) {
  return (word: string): number => {
    const bytes = parseByteSize(word);
    if (bytes !== null) return bytes;
    throw new VencError('UsageError', `${flag} takes a size such as 500MB or 2GB, not "${word}".`);
  };
}

/** Parses a size such as `1000000`, `500MB` or `2G` (decimal units) to bytes; null for other text. */
export function parseByteSize(word: string): number | null {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([kmgt]?)b?$/i.exec(word) ?? [];
  const perUnit = bytesPerUnit[unit.toLowerCase()];
  return amount === undefined || perUnit === undefined ? null : Math.round(Number(amount) * perUnit);
}

const clockPattern = /^(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d(?:\.\d+)?)$/;
const unitPattern = /^(\d+(?:\.\d+)?)([smh])$/;
const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * Converts a time as typed on the command line to a form of the service document: `1:30` becomes `00:01:30`,
 * `1:02:03.5` becomes `01:02:03.5`, and `90s`, `5m` and `2h` become seconds, as with `--timeout`. Any other text is
 * returned unchanged, so that the validation reports it.
 */
export function normalizeTypedTime(word: string): string | number {
  const { hours, minutes, seconds } = parseClock(word) ?? {};
  if (seconds === undefined) return parseUnitSeconds(word) ?? word;
  return `${twoDigits(hours ?? 0)}:${twoDigits(minutes ?? 0)}:${seconds}`;
}

/**
 * Parses a time as typed on the command line to seconds; null if the text has none of the forms `90s`, `5m`, `2h`,
 * `1:30` and `1:02:03.5`.
 */
function parseTypedSeconds(word: string): number | null {
  const parts = parseClock(word);
  return parts === null
    ? parseUnitSeconds(word)
    : parts.hours * 3600 + parts.minutes * 60 + Number(parts.seconds);
}

function parseUnitSeconds(word: string): number | null {
  const [, amount, unit = ''] = unitPattern.exec(word) ?? [];
  return amount === undefined ? null : Number(amount) * (secondsPerUnit[unit] ?? 1);
}

function parseClock(word: string) {
  const [, hourDigits, minuteDigits = '', seconds] = clockPattern.exec(word) ?? [];
  const minutes = Number(minuteDigits);
  // 75:00 is an hour and a quarter. With hours, minutes are at most 59.
  if (seconds === undefined || (hourDigits !== undefined && minutes > 59)) return null;
  return { hours: Number(hourDigits ?? 0) + Math.floor(minutes / 60), minutes: minutes % 60, seconds };
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

/** One `name=value` of a command line, without its quotes. */
type Assignment = readonly [name: string, value: string];

const onePair = /([^=,"]+)=(?:"((?:[^"]|"")*)"|([^,"][^,]*)?)(,|$)/y;

/**
 * Parses `name=value,name=value`: `x=10,url="a,b"` is `x` with `10` and `url` with `a,b`. A value with a comma is
 * enclosed in double quotes, and a double quote inside is doubled. A name may occur several times, and may be written
 * with `-` instead of `_`. Throws `UsageError` naming `flag`; the message never repeats the text, which may be
 * secret.
 */
export function parseAssignments(text: string, flag: string): readonly Assignment[] {
  const assignments: Assignment[] = [];
  for (let at = 0; at < text.length; ) {
    onePair.lastIndex = at;
    const found = onePair.exec(text);
    const isUnterminated = found?.[4] === ',' && onePair.lastIndex === text.length;
    if (found === null || isUnterminated) throw malformed(flag);
    const [match, name = '', quoted, plain = ''] = found;
    assignments.push([name.trim().replaceAll('-', '_'), quoted?.replaceAll('""', '"') ?? plain]);
    at += match.length;
  }
  if (assignments.length === 0) throw malformed(flag);
  return assignments;
}

function malformed(flag: string): VencError {
  return new VencError('UsageError', `${flag} must be name=value,name=value`, {
    hint: 'Enclose a value that contains a comma in double quotes: url="a,b".',
  });
}
