import { finalJobStates } from '../../shared/states.js';
import type { CommandModule } from '../context.js';
import { type BulkAction, defineBulkAction } from '../jobs/bulk-action.js';

/** `venc cancel ID...` (section 4.5): only waiting and processing jobs can be cancelled. */
export const cancel = commandOf({
  name: 'cancel',
  doneText: 'is cancelled',
  states: ['waiting', 'processing'],
  apply: (client, id) => client.cancel(id),
});

/** `venc resubmit ID...` (section 4.4): runs again any job that is not finished. */
export const resubmit = commandOf({
  name: 'resubmit',
  doneText: 'is resubmitted',
  states: ['pending', 'waiting', 'processing', 'cancelled', 'failed'],
  apply: (client, id) => client.resubmit(id),
});

/** Removes jobs, several at a time, because each removal waits for the disk of the service. */
export const removal: BulkAction = {
  name: 'rm',
  doneText: 'is removed',
  states: finalJobStates,
  apply: (client, id) => client.remove(id),
  conflictHint: (id) => `cancel it first: venc cancel ${id}`,
  concurrency: 8,
};

/** `venc rm ID...`: removes jobs that have ended, with their hosted files. Their usage stays in reports. */
export const rm = commandOf(removal);

function commandOf(action: BulkAction): CommandModule {
  return { define: (command, context) => defineBulkAction(command, context, action) };
}
