import type { Amounts, ReportDay, UsageKind, UsageReport } from '../../client/read-report.js';
import { safeText } from '../../shared/text/safe-text.js';
import { createTextColours, type TextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';

const subjects = { vod: 'Files', live: 'Live streaming' } as const;
const headings = { vod: 'Files, in minutes', live: 'Live streaming, in hours' } as const;

/** A line of the table: a day, or the total. */
interface Line {
  readonly day: string;
  readonly grouping: string | null;
  readonly amounts: Amounts;
}

/** Titles and priorities of the amounts. */
const amountColumns: Readonly<
  Record<UsageKind, readonly (readonly [name: string, title: string, priority: number])[]>
> = {
  vod: [
    ['encoded_minutes', 'ENCODED', 6],
    ['billable_minutes', 'BILLABLE', 5],
  ],
  live: [
    ['stream_hours', 'STREAM', 4],
    ['billable_stream_hours', 'STREAM BILLED', 2],
    ['encoded_hours', 'ENCODED', 3],
    ['billable_encoded_hours', 'ENCODED BILLED', 1],
    ['total_hours', 'TOTAL', 6],
    ['total_billable_hours', 'TOTAL BILLED', 5],
  ],
};

/**
 * Formats usage for people: a table for each kind, with a line for each day with usage and a line for the total. A kind
 * without usage has one line.
 */
export function reportText(usages: readonly UsageReport[], { width, hasColour }: TableStyle): string {
  const colours = createTextColours(hasColour);
  return usages
    .map((usage) => (isUnused(usage) ? formatNoUsage(usage) : usageText(usage, width, colours)))
    .join('\n');
}

function isUnused({ days, total }: UsageReport): boolean {
  return [total, ...days.map(({ amounts }) => amounts)].every((amounts) =>
    Object.values(amounts).every((amount) => amount === 0),
  );
}

function formatNoUsage({ kind, days }: UsageReport): string {
  const all = days.map(({ day }) => day).sort();
  const [first, last] = [all[0], all.at(-1)];
  const span = first === undefined ? '' : first === last ? ` on ${first}` : ` from ${first} to ${last}`;
  return `${subjects[kind]}: no usage${span}.\n`;
}

function usageText({ kind, days, total }: UsageReport, width: number, colours: TextColours): string {
  const used = days.filter(({ amounts }) => Object.values(amounts).some((amount) => amount !== 0));
  const lines: readonly Line[] = [...used.map(lineOf), { day: 'total', grouping: null, amounts: total }];
  const hasGroupings = used.some(({ grouping }) => grouping !== null);
  const columns: readonly Column<Line>[] = [
    { title: 'DAY (UTC)', priority: 8, text: ({ day }) => day },
    ...(hasGroupings
      ? [{ title: 'GROUPING', priority: 7, minWidth: 10, text: ({ grouping }: Line) => grouping ?? '' }]
      : []),
    ...amountColumns[kind].map(([name, title, priority]) => ({
      title,
      priority,
      isRightAligned: true,
      text: ({ amounts }: Line) => exact(amounts[name] ?? 0),
    })),
  ];
  return `${headings[kind]}\n${table(columns, lines, width, colours)}`;
}

function lineOf({ day, grouping, amounts }: ReportDay): Line {
  return { day, grouping, amounts };
}

/** Always two decimals, so that the decimal points are aligned. */
function exact(amount: number): string {
  return amount.toFixed(2);
}

/** The part of a report that a line of CSV contains. */
interface Day {
  readonly kind: string;
  readonly day: string;
  readonly grouping: string | null;
  readonly amounts: Amounts;
}

/**
 * Formats days as CSV (RFC 4180, with plain line breaks): a header, then a line for each day and grouping, with exact
 * numbers. With `hasKind` the first column is the kind of usage, and amounts of other kinds are empty. There is no line
 * with totals, so that the sum of a column is correct.
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

/**
 * Quotes a cell. Line breaks and control characters are escaped for terminals and for programs that read line by line.
 */
function cell(text: string): string {
  const safe = safeText(text);
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
