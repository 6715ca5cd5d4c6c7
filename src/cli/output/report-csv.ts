import type { Amounts } from '../../client/read-report.js';
import { safeText } from '../../shared/text/safe-text.js';

/** One day of one grouping, as far as a line of CSV needs it. */
interface Day {
  readonly kind: string;
  readonly day: string;
  readonly grouping: string | null;
  readonly amounts: Amounts;
}

/**
 * Days as CSV (RFC 4180, with plain line breaks): a head, then a line for each day and grouping, in exact numbers. With `hasKind` the
 * first column tells which kind of usage it is, and amounts of another kind are empty. There is no line of totals: sums over a column
 * are right.
 */
export function reportCsv(days: readonly Day[], names: readonly string[], hasKind: boolean): string {
  const head = [...(hasKind ? ['kind'] : []), 'collected_on', 'grouping', ...names];
  const lines = days.map(({ kind, day, grouping, amounts }) => [
    ...(hasKind ? [kind] : []),
    day,
    grouping ?? '',
    ...names.map((name) => String(amounts[name] ?? '')),
  ]);
  return [head, ...lines].map((cells) => `${cells.map(cell).join(',')}\n`).join('');
}

/** No line is broken within a cell: what would steer a terminal, or a program that reads line by line, is written as it is shown. */
function cell(text: string): string {
  const safe = safeText(text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
