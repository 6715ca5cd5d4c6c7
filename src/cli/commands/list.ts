import type { Command } from 'commander';
import { type Client, type ListedJobs, listedJobs } from '../../client/client.js';
import { integerParser, listParser } from '../../shared/flag-parsers.js';
import { displayProgress, displayState, jobStates } from '../../shared/states.js';
import type { Context } from '../context.js';
import { emptyJob, jobsPerPage, selectJobs } from '../jobs/resolve-jobs.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecords } from '../terminal/print-records.js';

interface ListOptions extends OutputFormatOptions {
  readonly page?: number;
  readonly perPage?: number;
  readonly state?: readonly string[];
  readonly all?: boolean;
  readonly latest?: boolean;
  readonly search?: string;
  readonly label?: string;
  readonly account?: string;
}

/** `venc list`: a page of jobs (section 4.3), or with `--all` every one. */
export function define(command: Command, context: Context): void {
  addOutputFormatOptions(command, 'many')
    .option('--page <number>', 'the page, from 1', integerParser('--page', 1))
    .option(
      '--per-page <number>',
      'jobs per page; more than 50 count as 50 (default: 50)',
      integerParser('--per-page', 1),
    )
    .option(
      '--state <states>',
      `only jobs in these states, comma-separated: ${jobStates.join(', ')}; repeatable`,
      listParser('--state', jobStates),
    )
    .option('--search <text>', 'only jobs with this text in their id, input, labels, file names or failures')
    .option('--label <label>', 'only jobs with an output of this label')
    .option(
      '--account <name>',
      "jobs of this account, or of all accounts: '*'; needs a key of the account default",
    )
    .addOption(command.createOption('--all', 'all pages').conflicts('page'))
    .addOption(command.createOption('--latest', 'only the newest job').conflicts(['page', 'perPage', 'all']))
    .addHelpText('after', examples)
    .action(context.handler(run));
}

const examples = `
RESULT is the size of the outputs and its share of the size of the input, or why the job failed. INPUT is the path of a
local file if the terminal has 120 columns, else its name. DONE is shown for finished jobs, and for jobs that run on the
local daemon. A search reads the newest 10,000 jobs, and says so if there are more.

Examples:
  venc list --latest
  venc list --state failed,cancelled
  venc list --search holiday --account '*'
  venc list --json --fields id,state,output_media_files.url
  venc list --label web --all --jsonl`;

async function run(options: ListOptions, context: Context) {
  const { io } = context;
  const client = await context.client();
  const listed = await selected(client, options);
  const { records, total, pause, readCount } = listed;
  await printRecords(io, options, {
    items: records,
    get known() {
      return emptyJob();
    },
    emptyText: noJobsText(options, total),
    text: async (style) => {
      const { jobsTable } = await import('../output/jobs-table.js');
      const percents = await percentsOf(client, listed.jobs);
      return jobsTable(listed.jobs, { ...style, now: new Date(), percents });
    },
  });
  if (readCount !== null)
    io.writeInfo(`venc: the search read the newest ${readCount} jobs; there are older ones\n`);
  const isText = options.json !== true && options.jsonl !== true;
  if (isText && pause !== null) {
    const { pausedHint } = await import('../../shared/text/units.js');
    io.writeInfo(`venc: ${pausedHint(pause)}\n`);
  }
  const page = options.page ?? 1;
  const before = (page - 1) * Math.min(options.perPage ?? jobsPerPage, jobsPerPage);
  if (
    isText &&
    options.all !== true &&
    options.latest !== true &&
    records.length > 0 &&
    total !== null &&
    total > before + records.length
  ) {
    io.writeInfo(`venc: ${records.length} of ${total} jobs; more with --page ${page + 1}, all with --all\n`);
  }
}

async function selected(client: Client, options: ListOptions): Promise<ListedJobs> {
  const { state, latest, page, perPage, all, search, label, account } = options;
  const terms = {
    ...(search === undefined ? {} : { text: search }),
    ...(label === undefined ? {} : { label }),
    ...(account === undefined ? {} : { account }),
  };
  const selection = {
    terms,
    ...(page === undefined ? {} : { page }),
    ...(perPage === undefined ? {} : { perPage }),
    ...(all === undefined ? {} : { all }),
    ...(state === undefined ? {} : { states: state }),
  };
  if (latest !== true) return selectJobs(client, selection);
  const found = await selectJobs(client, state === undefined ? { perPage: 1, terms } : selection);
  const { pause, readCount } = found;
  return listedJobs(found.records.slice(0, 1), { total: null, pause, readCount });
}

/** Maximum number of jobs whose progress is requested: each needs a request. */
const maxProgressJobs = 20;

/**
 * Progress in percent of running jobs on the local daemon, by id. Other services would need a request for each file.
 */
async function percentsOf(client: Client, jobs: ListedJobs['jobs']): Promise<ReadonlyMap<number, number>> {
  if (client.target.isOwnDaemon !== true) return new Map();
  const running = jobs.filter(({ state }) => state === 'processing').slice(0, maxProgressJobs);
  const found = await Promise.all(
    running.map(async ({ id }) => {
      // On errors leave the cell blank: the list itself was answered.
      const record = await client.jobProgress(id).catch(() => null);
      const percent = record === null ? 0 : displayProgress(record);
      return record === null || (percent === 0 && displayState(record) === 'queued')
        ? []
        : [[id, percent] as const];
    }),
  );
  return new Map(found.flat());
}

function noJobsText({ page = 1, state, search, label }: ListOptions, total: number | null): string {
  if (page > 1) return `page ${page} has no jobs${total === null ? '' : `, there are ${total} in all`}`;
  const jobs = search === undefined && label === undefined ? 'no jobs' : 'no matching jobs';
  return state === undefined ? jobs : `${jobs} that are ${state.join(' or ')}`;
}
