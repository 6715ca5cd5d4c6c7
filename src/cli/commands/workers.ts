import type { Command } from 'commander';
import { changeWorker, emptyWorker, requestWorkers } from '../../client/workers.js';
import { safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecords } from '../terminal/print-records.js';

/** `venc workers`: the machines that encode for a daemon, an addition to the service. */
export function define(command: Command, context: Context): void {
  addOutputFormatOptions(command, 'many').addHelpText('after', details).action(context.handler(list));
  command
    .command('drain')
    .description('Let a worker take no further jobs and end after those that it runs.')
    .argument('<name>', 'name of the worker, as venc workers shows it')
    .addHelpText('after', drainDetails)
    .action(context.handler(change('drainWorker')));
  command
    .command('pause')
    .description('Let a worker take no jobs until it is resumed.')
    .argument('<name>', 'name of the worker, as venc workers shows it')
    .addHelpText('after', pauseDetails)
    .action(context.handler(change('pauseWorker')));
  command
    .command('resume')
    .description('Let a paused or drained worker take jobs again.')
    .argument('<name>', 'name of the worker, also of one that has ended')
    .addHelpText('after', resumeExamples)
    .action(context.handler(change('resumeWorker')));
}

const details = `
Without a command, lists the workers that have joined the daemon: venc worker --join URL on another machine, with a token of
venc keys create --worker. JOBS 1/1 +2 means that a job is in its only slot, and that it fetches the inputs
of two more meanwhile. SPEED is that of its
encoders together, as a multiple of real time. A worker that has not reported for 30 seconds is silent, and loses its jobs.
One with --hours or --when-idle says when these let it take no job.
These commands need a full access key of the account default.

Examples:
  venc workers
  venc workers --json --fields name,job_ids,last_seen_at
  venc workers pause box-2
  venc workers drain box-2
  venc workers resume box-2`;

const drainDetails = `
A worker that joins with this name drains too, also after a restart of the daemon, until venc workers resume.

Examples:
  venc workers drain box-2`;

const pauseDetails = `
The worker stays joined and finishes the jobs that it runs. A worker that joins with this name is paused too, also after a
restart of the daemon, until venc workers resume.

Examples:
  venc workers pause box-2`;

const resumeExamples = `
Examples:
  venc workers resume box-2`;

async function list(options: OutputFormatOptions, context: Context) {
  const { io } = context;
  const { workers, records, at } = await requestWorkers(await context.client());
  await printRecords(io, options, {
    items: records,
    known: emptyWorker(),
    emptyText: 'no workers',
    text: async (style) => {
      const { workersTable } = await import('../output/workers-table.js');
      return workersTable(workers, { ...style, now: at ?? new Date() });
    },
  });
  const isText = options.json !== true && options.jsonl !== true;
  if (workers.length === 0 && isText) io.writeInfo(howToAdd);
}

const howToAdd =
  'venc: hint: to add one, create its token with venc keys create --worker, and run venc worker --join URL on its machine\n';

const effects = {
  drainWorker: 'takes no further jobs and ends after those that it runs',
  pauseWorker: 'takes no jobs until it is resumed, and finishes those that it runs',
  resumeWorker: 'takes jobs again',
} as const;

function change(route: keyof typeof effects) {
  const effect = effects[route];
  return async (name: string, _: object, { client, io }: Context): Promise<void> => {
    await changeWorker(await client(), route, name);
    io.writeInfo(`venc: worker ${safeText(name)} ${effect}\n`);
  };
}
