import { createTextColours } from './paint.js';
import { type Column, type TableStyle, table } from './table.js';
import { humanDuration } from './units.js';

/** One kind of records as `venc migrate` prints it. */
export interface MigrationRecord {
  readonly what: string;
  readonly source_count: number;
  readonly target_count: number;
  /** 64 hexadecimal digits. */
  readonly source_checksum: string;
  readonly target_checksum: string;
  readonly equal: boolean;
}

/** Enough digits to compare by eye; `--json` prints all. */
const shownDigits = 12;

/** What was copied, with counts and checksums of both sides, one kind of records per line. */
export function migrationTable(
  records: readonly MigrationRecord[],
  { width, hasColour }: TableStyle,
): string {
  const columns: readonly Column<MigrationRecord>[] = [
    { title: 'WHAT', priority: 6, minWidth: 16, text: ({ what }) => what },
    { title: 'SOURCE', priority: 4, isRightAligned: true, text: (record) => String(record.source_count) },
    { title: 'TARGET', priority: 3, isRightAligned: true, text: (record) => String(record.target_count) },
    { title: 'CHECKSUM', priority: 2, text: (record) => record.source_checksum.slice(0, shownDigits) },
    { title: 'OF TARGET', priority: 1, text: (record) => record.target_checksum.slice(0, shownDigits) },
    { title: 'RESULT', priority: 5, text: ({ equal }) => (equal ? 'equal' : 'different') },
  ];
  return table(columns, records, width, createTextColours(hasColour));
}

/** The progress of a migration. */
export interface MigrationState {
  readonly step: 'checking' | 'copying' | 'comparing';
  readonly done: number;
  readonly total: number;
}

/** Where each step begins, and how much of the whole it takes, in percent: reading is faster than writing. */
const shares = { checking: [0, 15], copying: [15, 50], comparing: [65, 35] } as const;

/** The percentage of a migration, and what it is doing, as progress displays show it. */
export function migrationProgress(
  { step, done, total }: MigrationState,
  elapsedSeconds: number,
): { readonly percent: number; readonly activity: string } {
  const [begin, share] = shares[step];
  const percent = begin + (total === 0 ? share : (share * done) / total);
  const left = percent > 1 ? [`${humanDuration((elapsedSeconds * (100 - percent)) / percent)} left`] : [];
  return { percent, activity: [`${step} ${done} of ${total} jobs`, ...left].join(', ') };
}
