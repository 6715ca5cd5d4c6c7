import type { Command } from 'commander';
import { finalJobStates } from '../../shared/states.js';
import type { Context } from '../context.js';
import { type BulkAction, defineBulkAction } from '../jobs/bulk-action.js';

/** Removing jobs: many at once, as each waits for the disk of the service. */
export const removal: BulkAction = {
  name: 'rm',
  doneText: 'is removed',
  states: finalJobStates,
  apply: (client, id) => client.remove(id),
  concurrency: 8,
};

/** `venc rm ID...`: removes jobs that have ended, with their hosted files. Their usage stays in reports. */
export function define(command: Command, context: Context): void {
  defineBulkAction(command, context, removal);
}
