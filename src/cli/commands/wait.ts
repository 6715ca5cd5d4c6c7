import type { Command } from 'commander';
import { durationParser } from '../../shared/flag-parsers.js';
import type { Context } from '../context.js';
import { awaitJobs, withStillRunningHint } from '../jobs/await-jobs.js';
import { jobIdsHelp, resolveJobs } from '../jobs/resolve-jobs.js';
import { listenForInterrupt } from '../terminal/interrupt.js';

interface WaitOptions {
  readonly timeout?: number;
  readonly any?: boolean;
}

/** `venc wait ID...`: waits without output until the jobs have ended; the exit code reflects their states. */
export function define(command: Command, context: Context): void {
  command
    .argument('<id...>', jobIdsHelp)
    .option(
      '--timeout <time>',
      'give up after this time, such as 90s, 5m or 2h (exit code 7)',
      durationParser('--timeout'),
    )
    .option('--any', 'wait only until the first job ends; it sets the exit code')
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
Exit codes: 0 if every job finished, 1 if one failed or was cancelled, 7 after the timeout.
With --timeout 0 each job is checked once.

Examples:
  venc wait @last
  venc wait 123 124 --timeout 10m && echo both are done`;

async function run(args: readonly string[], options: WaitOptions, context: Context) {
  const { client, ids } = await resolveJobs(args, context);
  const pollsOnce = options.timeout === 0;
  const { signal, dispose } = listenForInterrupt(context.io, pollsOnce ? null : (options.timeout ?? null));
  try {
    return await awaitJobs(client, ids, context.io, { signal, pollsOnce, isAny: options.any === true });
  } catch (error) {
    throw withStillRunningHint(error, ids);
  } finally {
    dispose();
  }
}
