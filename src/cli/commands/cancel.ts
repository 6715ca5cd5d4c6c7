import type { Command } from 'commander';
import type { Context } from '../context.js';
import { defineVerb } from '../jobs/act-on-jobs.js';

/** `venc cancel ID...` (section 4.5): only waiting and processing jobs can be cancelled. */
export function define(command: Command, context: Context): void {
  defineVerb(command, context, {
    name: 'cancel',
    done: 'is cancelled',
    states: ['waiting', 'processing'],
    act: (client, id) => client.cancel(id),
  });
}
