const clockPattern = /^(?:(\d{1,2}):)?(\d{1,3}):([0-5]\d(?:\.\d+)?)$/;
const unitPattern = /^(\d+(?:\.\d+)?)([smh])$/;
const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * A time as people type it, in a form of the service document: `1:30` becomes `00:01:30`, `1:02:03.5` becomes `01:02:03.5`, and
 * `90s`, `5m` and `2h` become seconds, as with `--timeout`. Any other text stays as it is, for the validation to name.
 */
export function normalizeTypedTime(word: string): string | number {
  const { hours, minutes, seconds } = parseClock(word) ?? {};
  if (seconds === undefined) return parseUnitSeconds(word) ?? word;
  return `${twoDigits(hours ?? 0)}:${twoDigits(minutes ?? 0)}:${seconds}`;
}

/** The same time in seconds; null for a text that is none of `90s`, `5m`, `2h`, `1:30` and `1:02:03.5`. */
export function parseTypedSeconds(word: string): number | null {
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
  // 75:00 is an hour and a quarter; next to hours there are at most 59 minutes.
  if (seconds === undefined || (hourDigits !== undefined && minutes > 59)) return null;
  return { hours: Number(hourDigits ?? 0) + Math.floor(minutes / 60), minutes: minutes % 60, seconds };
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
