const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

/** A size in bytes for people: `512 B`, `4.2 MB` (decimal units). Pure. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** The sum of numbers; 0 for none. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Rounds a number to two decimals, for percentages and frame rates in responses. */
export function roundToHundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
