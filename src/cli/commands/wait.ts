import type { Command } from 'commander';
import { timeSpan } from '../../shared/flag-readers.js';
import type { Context } from '../context.js';
import { awaitJobs } from '../jobs/await-jobs.js';
import { jobsGoOn } from '../jobs/jobs-continue.js';
import { jobIdsHelp, namedJobs } from '../jobs/named-jobs.js';
import { listenForEnd } from '../terminal/interrupt.js';

interface WaitOptions {
  readonly timeout?: number;
  readonly any?: boolean;
}

/** `venc wait ID...`: silent until the jobs are final; its exit code tells how they ended. */
export function define(command: Command, context: Context): void {
  command
    .argument('<id...>', jobIdsHelp)
    .option(
      '--timeout <time>',
      'give up after this time, such as 90s, 5m or 2h (exit code 7)',
      timeSpan('--timeout'),
    )
    .option('--any', 'until the first of them has ended, which decides')
    .addHelpText('after', details)
    .action(context.act((words: readonly string[], options: WaitOptions) => run(words, options, context)));
}

const details = `
Exit codes: 0 when every job finished, 1 when one failed or was cancelled, 7 after the timeout.
With --timeout 0 each job is looked at once.

Examples:
  venc wait @last
  venc wait 123 124 --timeout 10m && echo both are done`;

async function run(words: readonly string[], options: WaitOptions, context: Context) {
  const { client, ids } = await namedJobs(words, context);
  const looksOnce = options.timeout === 0;
  const { signal, dispose } = listenForEnd(context.io, looksOnce ? null : (options.timeout ?? null));
  try {
    return await awaitJobs(client, ids, context.io, { signal, looksOnce, isAny: options.any === true });
  } catch (error) {
    throw jobsGoOn(error, ids);
  } finally {
    dispose();
  }
}
