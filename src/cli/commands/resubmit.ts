import type { Command } from 'commander';
import type { Context } from '../context.js';
import { defineBulkAction } from '../jobs/bulk-action.js';

/** `venc resubmit ID...` (section 4.4): every job but a finished one can be run again. */
export function define(command: Command, context: Context): void {
  defineBulkAction(command, context, {
    name: 'resubmit',
    doneText: 'is resubmitted',
    states: ['pending', 'waiting', 'processing', 'cancelled', 'failed'],
    apply: (client, id) => client.resubmit(id),
  });
}
