import type { Command } from 'commander';
import { finalJobStates } from '../../shared/states.js';
import type { Context } from '../context.js';
import { defineVerb, type Verb } from '../jobs/act-on-jobs.js';

/** Removing jobs: many at once, as each waits for the disk of the service. */
export const removal: Verb = {
  name: 'rm',
  done: 'is removed',
  states: finalJobStates,
  act: (client, id) => client.remove(id),
  lanes: 8,
};

/** `venc rm ID...`: removes jobs that have ended, with their hosted files. Their usage stays in reports. */
export function define(command: Command, context: Context): void {
  defineVerb(command, context, removal);
}
