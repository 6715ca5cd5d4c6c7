import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import { exitCodes } from '../../shared/exit-codes.js';
import { ageParser, listParser } from '../../shared/flag-parsers.js';
import type { JobRecord } from '../../shared/records.js';
import { finalJobStates, isFinal, type JobState } from '../../shared/states.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import { selectJobs } from '../jobs/resolve-jobs.js';
import { applyToEach, confirm, removal, requireTerminal } from './bulk-actions.js';

interface PruneOptions {
  /** Seconds. */
  readonly olderThan?: number;
  readonly state?: readonly JobState[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `venc prune --older-than AGE`: removes jobs that ended before that, with their hosted files. */
export function define(command: Command, context: Context): void {
  command
    .option(
      '--older-than <age>',
      'jobs that ended longer ago than this: 12h, 30d, 2w',
      ageParser('--older-than'),
    )
    .option(
      '--state <states>',
      `only jobs in these states, comma-separated: ${finalJobStates.join(', ')}; repeatable`,
      listParser('--state', finalJobStates),
    )
    .option('--dry-run', 'print the ids of the jobs to remove without removing them')
    .option('-y, --yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `\nReports still include the usage of removed jobs.\n${formatExamples('venc prune --older-than 30d --dry-run', 'venc prune --older-than 2w --state failed --yes')}`,
    )
    .action(context.handler(run));
}

async function run({ olderThan, state, dryRun, yes }: PruneOptions, context: Context) {
  const { io } = context;
  if (olderThan === undefined) {
    throw new VencError('UsageError', '--older-than is required: the minimum time since a job ended.', {
      hint: 'for example: venc prune --older-than 30d',
    });
  }
  if (dryRun !== true && yes !== true) requireTerminal('prune', io);
  const client = await context.client();
  const before = Date.now() - olderThan * 1000;
  const { jobs } = await selectJobs(client, { all: true, ...(state === undefined ? {} : { states: state }) });
  const ids = jobs.filter((job) => job.id > 0 && endedBefore(job, before)).map(({ id }) => id);
  if (dryRun === true) {
    await io.writeStdout(ids.map((id) => `${id}\n`).join(''));
    io.writeInfo(`venc: ${counted(ids.length)} would be removed\n`);
    return exitCodes.done;
  }
  if (ids.length === 0) {
    io.writeInfo('venc: no jobs to prune\n');
    return exitCodes.done;
  }
  if (yes !== true && !(await confirm(io, { name: 'prune' }, ids)))
    throw new VencError('InterruptedError', 'Nothing was done.');
  let removed = 0;
  const removeJob: typeof removal.apply = async (service, id) => {
    await removal.apply(service, id);
    removed += 1;
  };
  // Print one line for all jobs, as there may be thousands. Errors are reported individually.
  const errorsOnly = { ...io, writeInfo: () => {} };
  const code = await applyToEach(client, ids, { ...removal, apply: removeJob }, errorsOnly);
  io.writeInfo(`venc: ${counted(removed)} removed\n`);
  return code;
}

function endedBefore({ state, finished_at }: JobRecord, before: number): boolean {
  return isFinal(state) && finished_at !== null && Date.parse(finished_at) < before;
}

function counted(count: number): string {
  return count === 1 ? '1 job' : `${count} jobs`;
}
