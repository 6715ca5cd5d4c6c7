import type { Command } from 'commander';
import type { Context } from '../context.js';
import { defineBulkAction } from '../jobs/bulk-action.js';

/** `venc cancel ID...` (section 4.5): only waiting and processing jobs can be cancelled. */
export function define(command: Command, context: Context): void {
  defineBulkAction(command, context, {
    name: 'cancel',
    doneText: 'is cancelled',
    states: ['waiting', 'processing'],
    apply: (client, id) => client.cancel(id),
  });
}
