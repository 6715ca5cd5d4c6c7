import type { Command } from 'commander';
import { exitCodes } from '../../api/exit-codes.js';
import { oneOf, wholeNumber } from '../../api/flag-readers.js';
import { jobStates } from '../../api/states.js';
import { blankJob } from '../blank-job.js';
import type { Context } from '../context.js';
import { addReadingOptions, printRecords, type ReadingOptions } from '../reading.js';
import { pageJobs, selectJobs } from '../select-jobs.js';

interface ListOptions extends ReadingOptions {
  readonly page?: number;
  readonly perPage?: number;
  readonly state?: string;
  readonly all?: boolean;
}

/** `venc list`: a page of jobs (section 4.3), or with `--all` every one. */
export function define(command: Command, context: Context): void {
  addReadingOptions(command, 'many')
    .option('--page <number>', 'which page, from 1', wholeNumber('--page', 1))
    .option('--per-page <number>', 'jobs on a page, 1 to 50 (default: 50)', wholeNumber('--per-page', 1))
    .option(
      '--state <state>',
      `only jobs in this state: ${jobStates.join(', ')}`,
      oneOf('--state', jobStates),
    )
    .addOption(command.createOption('--all', 'every page, one after the other').conflicts('page'))
    .addHelpText('after', examples)
    .action(context.act((options: ListOptions) => run(options, context)));
}

const examples = `
Examples:
  venc list --state failed
  venc list --json --fields id,state,output_media_files.url
  venc list --all --jsonl | grep '"label":"web"'`;

async function run(options: ListOptions, context: Context) {
  const { io } = context;
  const client = await context.client();
  const { jobs, answers, total } = await selectJobs(client, options);
  await printRecords(io, options, {
    answers,
    known: blankJob(),
    none: noJobsText(options, total),
    text: async (look) => {
      const { jobsTable } = await import('../print/jobs-table.js');
      return jobsTable(jobs, { ...look, now: new Date() });
    },
  });
  const isText = options.json !== true && options.jsonl !== true;
  const page = options.page ?? 1;
  const before = (page - 1) * Math.min(options.perPage ?? pageJobs, pageJobs);
  if (isText && options.all !== true && jobs.length > 0 && total !== null && total > before + jobs.length) {
    io.note(`venc: ${jobs.length} of ${total} jobs; more with --page ${page + 1}, all with --all\n`);
  }
  return exitCodes.done;
}

function noJobsText({ page = 1, state }: ListOptions, total: number | null): string {
  if (page > 1) return `page ${page} has no jobs${total === null ? '' : `, there are ${total} in all`}`;
  return state === undefined ? 'no jobs' : `no jobs that are ${state}`;
}
