import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanDuration } from '../../shared/text/units.js';
import type { Context } from '../context.js';
import { createTextColours } from '../output/paint.js';
import { type Column, type TableStyle, table } from '../output/table.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecords } from '../terminal/print-records.js';
import { openProgressDisplay } from '../terminal/progress-display.js';
import { chosenMode, type ProgressChoice, progressOption } from '../terminal/progress-mode.js';

interface MigrateOptions extends OutputFormatOptions {
  readonly from?: string;
  readonly to?: string;
  readonly database?: string;
  readonly skipDamaged?: boolean;
  readonly progress?: ProgressChoice;
}

/** `venc migrate`: copies everything between a data folder and a database. */
export function define(command: Command, context: Context): void {
  command
    .option('--from <folder>', 'copy from this data folder to the database')
    .option('--to <folder>', 'copy from the database to this data folder')
    .option('--database <dsn>', 'the database: postgres://USER@HOST:PORT/NAME (or VENC_DATABASE)')
    .option('--skip-damaged', 'leave out records that cannot be read')
    .option(...progressOption);
  addOutputFormatOptions(command, 'many').addHelpText('after', details).action(context.handler(run));
}

const details = `
Copies all jobs, their usage, accounts, keys, saved credentials and the names of drained workers. The source stays as it is.
Then it reads both sides again and prints counts and checksums; the exit code is 1 if anything differs. Hosted files, uploads
and logs stay in the data folder.
Stop the daemons of the folder and of the database first. The target must be empty. If a migration is interrupted, repeat the command
to continue it; until it has finished, no daemon starts on the target.
The password can be in VENC_DATABASE, PGPASSWORD or ~/.pgpass, where other users of the machine do not see it.
Secrets in the database are encrypted with the key in VENC_DATABASE_KEY or, without that, in the file database-key of the
data folder, which --from creates. Every daemon of the database needs the same key.

Examples:
  venc migrate --from ~/.local/share/venc \\
    --database postgres://venc@db/venc
  venc migrate --to /srv/venc`;

async function run(options: MigrateOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  const { direction, folder } = directionOf(options);
  const dsn = options.database ?? (await context.database()) ?? '';
  if (dsn === '')
    throw new VencError('UsageError', 'Give the database with --database or VENC_DATABASE.', {
      hint: 'such as postgres://venc@localhost:5432/venc',
    });
  const mode = await chosenMode(context, options.progress, 'stderr');
  const [{ resolve }, { migrateData }] = await Promise.all([
    import('node:path'),
    import('../../../daemon/migrate/migrate-data.js'),
  ]);
  const dataFolder = resolve(folder);
  const display = await openProgressDisplay(io, mode, 'migration');
  const onProgress = reporter((percent, activity, state) => display.update(percent, activity, state));
  const result = await migrateData({
    ...{ direction, dataFolder, dsn, onProgress },
    databaseKey: io.env.VENC_DATABASE_KEY,
    areDamagedSkipped: options.skipDamaged === true,
  }).finally(() => display.stop());

  for (const { place, reason } of result.damaged)
    io.writeStderr(`venc: warning: left out: ${safeText(place)} is damaged: ${safeText(reason)}\n`);
  const records = result.rows.map(
    ({ what, source, target, isEqual }): MigrationRecord => ({
      what,
      source_count: source.count,
      target_count: target.count,
      source_checksum: source.checksum,
      target_checksum: target.checksum,
      equal: isEqual,
    }),
  );
  await printRecords(io, options, {
    items: records,
    known: noRecord,
    emptyText: 'no records',
    text: async (style) => migrationTable(records, style),
  });
  if (records.some(({ equal }) => !equal)) {
    const ids = result.differingJobs.join(', ');
    const jobs = ids === '' ? '' : ` The first jobs that differ: ${ids}.`;
    io.writeStderr(`venc: ${safeText(result.target)} differs from ${safeText(result.source)}.${jobs}\n`);
    io.writeStderr(
      'venc: hint: run the same command again; no daemon starts on the target until both are equal\n',
    );
    return exitCodes.jobFailed;
  }
  const verb = result.wasComplete ? 'had been copied before' : 'copied';
  io.writeInfo(`venc: ${safeText(result.source)} ${verb} to ${safeText(result.target)}\n`);
  for (const line of closingText[direction](safeText(dataFolder))) io.writeInfo(`venc: ${line}\n`);
  return exitCodes.done;
}

/** The fields for `--fields`. */
const noRecord: MigrationRecord = {
  what: '',
  source_count: 0,
  target_count: 0,
  source_checksum: '',
  target_checksum: '',
  equal: true,
};

function directionOf({ from, to }: MigrateOptions): {
  readonly direction: 'from' | 'to';
  readonly folder: string;
} {
  if (from !== undefined && to !== undefined)
    throw new VencError('UsageError', 'Give either --from or --to: a migration has one direction.');
  if (from !== undefined) return { direction: 'from', folder: from };
  if (to !== undefined) return { direction: 'to', folder: to };
  throw new VencError('UsageError', 'Give the data folder with --from or --to.', {
    hint: '--from copies from the folder to the database, --to from the database to the folder',
  });
}

/** What to do after a migration, one line each. */
const closingText = {
  from: (folder: string) => [
    `hosted files, uploads and logs are still in ${folder}: start a daemon with that folder and the database`,
    `do not start a daemon on ${folder} without the database: it would run the same jobs again`,
  ],
  to: (folder: string) => [
    `hosted files, uploads and logs are still in the data folders of the daemons: copy "hosted", "uploads" and "logs" to ${folder}`,
    'do not start a daemon on the database: it would run the same jobs again',
  ],
} as const;

/** Minimum interval between two updates of the display. */
const reportEveryMs = 100;

function reporter(
  update: (percent: number, activity: string, state: MigrationState) => void,
): (state: MigrationState) => void {
  const beganAt = performance.now();
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (state) => {
    const now = performance.now();
    if (state.done < state.total && now - reportedAt < reportEveryMs) return;
    reportedAt = now;
    const { percent, activity } = migrationProgress(state, (now - beganAt) / 1000);
    update(percent, activity, state);
  };
}

/** One kind of records as `venc migrate` prints it. */
interface MigrationRecord {
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
function migrationTable(records: readonly MigrationRecord[], { width, hasColour }: TableStyle): string {
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
interface MigrationState {
  readonly step: 'checking' | 'copying' | 'comparing';
  readonly done: number;
  readonly total: number;
}

/** Where each step begins, and how much of the whole it takes, in percent: reading is faster than writing. */
const shares = { checking: [0, 15], copying: [15, 50], comparing: [65, 35] } as const;

/** The percentage of a migration, and what it is doing, as progress displays show it. */
function migrationProgress(
  { step, done, total }: MigrationState,
  elapsedSeconds: number,
): { readonly percent: number; readonly activity: string } {
  const [begin, share] = shares[step];
  const percent = begin + (total === 0 ? share : (share * done) / total);
  const left = percent > 1 ? [`${humanDuration((elapsedSeconds * (100 - percent)) / percent)} left`] : [];
  return { percent, activity: [`${step} ${done} of ${total} jobs`, ...left].join(', ') };
}
