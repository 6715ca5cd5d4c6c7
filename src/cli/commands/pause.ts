import type { Command } from 'commander';
import { pauseQueue, resumeQueue } from '../../client/queue.js';
import { durationParser } from '../../shared/flag-parsers.js';
import type { CommandModule, Context } from '../context.js';
import { pausedText } from '../output/units.js';

/** `venc pause`: no further job starts, an addition to the service. */
export const pause: CommandModule = {
  define(command: Command, context: Context) {
    command
      .option(
        '--for <time>',
        'end the pause after this time, such as 90s, 30m or 2h',
        durationParser('--for'),
      )
      .option('--now', 'stop the encoders of running jobs as well; venc resume lets them go on')
      .addHelpText('after', pauseDetails)
      .action(context.handler(runPause));
  },
};

/** `venc resume`: jobs start again, an addition to the service. */
export const resume: CommandModule = {
  define(command: Command, context: Context) {
    command.addHelpText('after', resumeDetails).action(context.handler(runResume));
  },
};

const pauseDetails = `
Running encodes finish, or stop at once with --now. Jobs that wait or download do not begin to encode. A worker finishes the jobs
that it has claimed, and stops their encodes with --now.
New jobs are accepted and wait. The pause holds over restarts of the daemon, until venc resume or the end of --for. A key of
the account default pauses the whole daemon, with all daemons of its database; that of another account only its own jobs.

Examples:
  venc pause
  venc pause --for 30m
  venc pause --now`;

const resumeDetails = `
A key of the account default ends the pause of the whole daemon, and not that of other accounts.

Examples:
  venc resume`;

interface PauseOptions {
  readonly for?: number;
  readonly now?: boolean;
}

async function runPause({ for: seconds, now }: PauseOptions, { client, io }: Context): Promise<void> {
  const state = await pauseQueue(await client(), { seconds: seconds ?? null, isFrozen: now === true });
  const end = state.until === null ? '; to end the pause: venc resume' : '';
  const encodes = state.frozen ? '' : '; running encodes finish';
  io.writeStderr(`venc: ${pausedText({ ...state, isFrozen: state.frozen })}${encodes}${end}\n`);
}

async function runResume(_: object, { client, io }: Context): Promise<void> {
  const state = await resumeQueue(await client());
  io.writeStderr(
    state.paused
      ? `venc: ${pausedText({ ...state, isFrozen: state.frozen })}, because the whole daemon is paused; its owner can resume it\n`
      : 'venc: the queue is not paused; waiting jobs start\n',
  );
}
