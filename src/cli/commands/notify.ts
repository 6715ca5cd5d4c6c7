import type { Command } from 'commander';
import { resendNotifications } from '../../client/queue.js';
import type { ExitCode } from '../../shared/exit-codes.js';
import { finalJobStates } from '../../shared/states.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import { jobIdsHelp, resolveJobs } from '../jobs/resolve-jobs.js';
import { applyToEach, type BulkAction } from './bulk-actions.js';

/** `venc notify ID...`: sends the notifications of jobs again, an addition to the service. */
export function define(command: Command, context: Context): void {
  command
    .argument('<id...>', jobIdsHelp)
    .addHelpText('after', `${details}${formatExamples('venc notify 123', 'venc notify @last')}`)
    .action(context.handler(run));
}

const details = `
Each notification of the job and of its outputs is sent once, with the current state of the job. venc show ID prints how
the endpoints answered.
`;

const notification: BulkAction = {
  name: 'notify',
  doneText: 'has its notifications sent again; venc show prints the answers',
  states: finalJobStates,
  apply: async (client, id) => void (await resendNotifications(client, id)),
};

async function run(args: readonly string[], _: object, context: Context): Promise<ExitCode> {
  const { client, ids } = await resolveJobs(args, context);
  return applyToEach(client, ids, notification, context.io);
}
