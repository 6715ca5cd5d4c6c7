import type { Command } from 'commander';
import { exitCodes } from '../../api/exit-codes.js';
import { jobStates } from '../../api/states.js';
import { blankJob } from '../blank-job.js';
import type { Context } from '../context.js';
import { addReadingOptions, printRecords, type ReadingOptions } from '../reading.js';
import { selectJobs } from '../select-jobs.js';
import { oneOf, wholeNumber } from '../words.js';

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
    text: async () => {
      const { jobsTable } = await import('../print/jobs-table.js');
      return jobsTable(jobs, { width: io.width, hasColour: io.colour.stdout, now: new Date() });
    },
  });
  const isText = options.json !== true && options.jsonl !== true;
  if (isText && jobs.length === 0) io.note('venc: no jobs\n');
  else if (isText && total !== null && total > jobs.length && options.page === undefined) {
    io.note(`venc: ${jobs.length} of ${total} jobs; the others with --page 2 or --all\n`);
  }
  return exitCodes.done;
}
