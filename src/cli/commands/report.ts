import { type Command, Option } from 'commander';
import { parseReport, requestReport, type UsageReport, usageAmounts } from '../../client/read-report.js';
import { VencError } from '../../shared/errors.js';
import { choiceParser } from '../../shared/flag-parsers.js';
import type { Context } from '../context.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecord } from '../terminal/print-records.js';

const kinds = ['all', 'vod', 'live'] as const;
type Kind = (typeof kinds)[number];

interface ReportOptions extends OutputFormatOptions {
  readonly from?: string;
  readonly to?: string;
  readonly grouping?: string;
  readonly csv?: boolean;
}

/** `venc report [all|vod|live]`: usage by day and grouping (sections 4.10 and 4.11). */
export function define(command: Command, context: Context): void {
  addOutputFormatOptions(
    command
      .argument('[kind]', 'vod: files; live: live streaming; all: both', choiceParser('report', kinds), 'all')
      .option('--from <day>', 'first day, such as 2026-03-01 (default: 30 days ago)', dayOf('--from'))
      .option('--to <day>', 'last day (default: yesterday)', dayOf('--to'))
      .option('--grouping <name>', 'only the usage under this report grouping')
      .addOption(
        new Option('--csv', 'print CSV, one line per day and grouping').conflicts(['json', 'fields']),
      ),
    'one',
  )
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
Usage counts on the day in UTC on which an output finished; a report has at most 60 days. The tables leave out days and kinds
without usage; --json and --csv include every day. With --csv the first column of all is the kind, vod or live.

Examples:
  venc report
  venc report vod --from 2026-03-01 --to 2026-03-31
  venc report all --grouping trailers --csv > usage.csv
  venc report vod --json --fields total`;

async function run(kind: Kind, options: ReportOptions, context: Context) {
  const { io } = context;
  const { from, to, grouping } = options;
  if (from !== undefined && to !== undefined && from > to) {
    throw new VencError('UsageError', `--from ${from} is after --to ${to}.`);
  }
  const client = await context.client();
  const body = await requestReport(client, kind, { from, to, grouping });
  const usages = parseReport(kind, body);
  if (options.csv === true) {
    await io.writeStdout(await csvOf(kind, usages));
    return;
  }
  const isTable = options.json !== true && options.fields === undefined;
  if (isTable && to === undefined && usages.every(({ total }) => Object.values(total).every(isZero))) {
    io.writeInfo(
      `venc: no usage until yesterday; to include today: --to ${new Date().toISOString().slice(0, 10)}\n`,
    );
  }
  await printRecord(io, options, {
    answer: body,
    known: { total: null, statistics: null },
    text: async (style) => {
      const { reportText } = await import('../output/report-text.js');
      return reportText(usages, style);
    },
  });
}

const isZero = (amount: number): boolean => amount === 0;

async function csvOf(kind: Kind, usages: readonly UsageReport[]): Promise<string> {
  const { reportCsv } = await import('../output/report-text.js');
  const names = usages.flatMap((usage) => usageAmounts[usage.kind]);
  return reportCsv(
    usages.flatMap(({ days }) => days),
    names,
    kind === 'all',
  );
}

/** Creates a parser for an option whose value is a date. */
function dayOf(flag: string) {
  return (arg: string): string => {
    const time = /^\d{4}-\d\d-\d\d$/.test(arg) ? Date.parse(`${arg}T00:00:00Z`) : Number.NaN;
    // Some JavaScript engines read the 30th of February as a day of March.
    if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(arg)) return arg;
    throw new VencError('UsageError', `${flag} takes a day such as 2026-03-01, not "${arg}".`);
  };
}
