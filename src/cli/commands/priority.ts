import type { Command } from 'commander';
import { prioritizeJob } from '../../client/queue.js';
import { VencError } from '../../shared/errors.js';
import { jobPriority } from '../../shared/settings/limits.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { CommandModule, Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import { resolveJob, resolveJobs } from '../jobs/resolve-jobs.js';

const { min, max } = jobPriority;

/** `venc priority ID N`: the place of a waiting job, an addition to the service. */
export const priority: CommandModule = {
  define(command: Command, context: Context) {
    command
      .argument('<id>', 'id of a waiting job; @last or -1 is the newest, -2 the one before it')
      .argument('<priority>', `from ${min} to ${max}; a job has 0 without one`, priorityOf)
      .addHelpText(
        'after',
        `${priorityDetails}${formatExamples('venc priority 123 5', 'venc priority 123 -10')}`,
      )
      .action(context.handler(runPriority));
  },
};

/** `venc next ID...`: waiting jobs that begin before all others of the account, an addition to the service. */
export const next: CommandModule = {
  define(command: Command, context: Context) {
    command
      .argument('<id...>', 'ids of waiting jobs; the first one begins first')
      .addHelpText('after', `${nextDetails}${formatExamples('venc next 123', 'venc next @last')}`)
      .action(context.handler(runNext));
  },
};

const priorityDetails = `
Waiting jobs with a greater priority begin first, among those of the account; of several, the one that waits longest.
`;

const nextDetails = `
The job keeps its place over restarts. venc priority ID 0 undoes it.
`;

function priorityOf(word: string): number {
  const value = /^[-+]?\d+$/.test(word) ? Number(word) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw new VencError(
    'UsageError',
    `The priority must be a whole number from ${min} to ${max}, not "${safeText(word)}".`,
    { hint: 'venc next ID puts a job before all others' },
  );
}

async function runPriority(arg: string, value: number, _: object, context: Context): Promise<void> {
  const { client, id } = await resolveJob(arg, context);
  await prioritizeJob(client, id, { priority: value });
  context.io.writeInfo(`venc: job ${id} has priority ${value}\n`);
}

async function runNext(args: readonly string[], _: object, context: Context): Promise<void> {
  const { client, ids } = await resolveJobs(args, context);
  // Each goes before those that were named before it.
  for (const id of ids.toReversed()) await prioritizeJob(client, id, { next: true });
  context.io.writeInfo(
    `venc: ${ids.length === 1 ? `job ${ids[0]} is` : `jobs ${ids.join(', ')} are`} next\n`,
  );
}
