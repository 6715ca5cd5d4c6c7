import type { Command } from 'commander';
import type { Context } from '../context.js';
import { defineVerb } from '../jobs/act-on-jobs.js';

/** `venc resubmit ID...` (section 4.4): every job but a finished one can be run again. */
export function define(command: Command, context: Context): void {
  defineVerb(command, context, {
    name: 'resubmit',
    done: 'is resubmitted',
    states: ['pending', 'waiting', 'processing', 'cancelled', 'failed'],
    act: (client, id) => client.resubmit(id),
  });
}
