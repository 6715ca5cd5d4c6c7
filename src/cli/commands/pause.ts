import type { Command } from 'commander';
import { changeJobPause, pauseQueue, resumeQueue } from '../../client/queue.js';
import { VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { durationParser } from '../../shared/flag-parsers.js';
import type { QueueRecord } from '../../shared/records.js';
import { safeText } from '../../shared/text/safe-text.js';
import { humanTime, pausedText } from '../../shared/text/units.js';
import type { CommandModule, Context } from '../context.js';
import { jobIdsHelp, resolveJobs } from '../jobs/resolve-jobs.js';
import { applyToEach, type BulkAction } from './bulk-actions.js';

/** `venc pause [ID...]`: no further job starts, or these jobs are paused; an addition to the service. */
export const pause: CommandModule = {
  define(command: Command, context: Context) {
    command
      .argument('[id...]', `${jobIdsHelp}; without ids, the whole queue`)
      .option(
        '--for <time>',
        'end the pause of the queue after this time, such as 90s, 30m or 2h',
        durationParser('--for'),
      )
      .option('--now', 'stop the encoders of running jobs as well; venc resume lets them go on')
      .addHelpText('after', pauseDetails)
      .action(context.handler(runPause));
  },
};

/** `venc resume [ID...]`: jobs start again, or these jobs go on; an addition to the service. */
export const resume: CommandModule = {
  define(command: Command, context: Context) {
    command
      .argument('[id...]', `${jobIdsHelp}; without ids, the whole queue`)
      .option(
        '--for <time>',
        'start jobs outside the hours of the daemon (--hours) as well for this time, such as 2h',
        durationParser('--for'),
      )
      .addHelpText('after', resumeDetails)
      .action(context.handler(runResume));
  },
};

const pauseDetails = `
Running encodes finish, or stop at once with --now. Jobs that wait or download do not begin to encode. A worker finishes the jobs
that it has claimed, and stops their encodes with --now.
New jobs are accepted and wait. The pause holds over restarts of the daemon, until venc resume or the end of --for. A key of
the account default pauses the whole daemon, with all daemons of its database; that of another account only its own jobs.

With ids, only these jobs are paused, until venc resume ID: a waiting job does not start, and the encoder of a running one is
stopped at once, so that another job has its slot.

Examples:
  venc pause
  venc pause --for 30m
  venc pause --now
  venc pause 123`;

const resumeDetails = `
A key of the account default ends the pause of the whole daemon, and not that of other accounts. With ids, ends the pauses of
these jobs: a stopped encoder goes on in the next free slot. The pause of the queue and those of jobs are separate.
Outside the hours of the daemon (venc daemon --hours), it says when they begin; --for starts jobs before, for that time.

Examples:
  venc resume
  venc resume 123
  venc resume --for 2h`;

interface PauseOptions {
  readonly for?: number;
  readonly now?: boolean;
}

async function runPause(
  ids: readonly string[],
  { for: seconds, now }: PauseOptions,
  context: Context,
): Promise<ExitCode> {
  const { client, io } = context;
  if (ids.length > 0) {
    requireNoOptions({ '--for': seconds, '--now': now });
    return changeJobs(ids, pauseOfJob, context);
  }
  const state = await pauseQueue(await client(), { seconds: seconds ?? null, isFrozen: now === true });
  const end = state.until === null ? '; to end the pause: venc resume' : '';
  const encodes = state.frozen ? '' : '; running encodes finish';
  io.writeInfo(`venc: ${pausedText({ ...state, isFrozen: state.frozen })}${encodes}${end}\n`);
  for (const name of state.not_frozen_by ?? [])
    io.writeStderr(`venc: warning: ${tooOldText(name)} finishes its encodes\n`);
  return exitCodes.done;
}

async function runResume(
  ids: readonly string[],
  { for: seconds }: PauseOptions,
  context: Context,
): Promise<ExitCode> {
  const { client, io } = context;
  if (ids.length > 0) {
    requireNoOptions({ '--for': seconds });
    return changeJobs(ids, resumeOfJob, context);
  }
  const state = await resumeQueue(await client(), seconds ?? null);
  io.writeInfo(`venc: ${resumedText(state)}\n`);
  return exitCodes.done;
}

function resumedText(state: QueueRecord): string {
  if (!state.paused) return 'the queue is not paused; waiting jobs start';
  if (state.reason !== 'hours')
    return `${pausedText({ ...state, isFrozen: state.frozen })}, because the whole daemon is paused; its owner can resume it`;
  const begin = state.until === null ? '' : `, which begin at ${humanTime(state.until)}`;
  return `the queue is not paused, but the daemon is outside its hours (--hours)${begin}; to start jobs now: venc resume --for 2h`;
}

function requireNoOptions(options: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(options).filter((name) => options[name] !== undefined);
  if (given.length === 0) return;
  throw new VencError(
    'UsageError',
    `${given.join(' and ')} ${given.length === 1 ? 'is' : 'are'} for the whole queue, and not for single jobs.`,
    { hint: 'venc pause ID stops an encoder at once, and holds until venc resume ID' },
  );
}

async function changeJobs(args: readonly string[], action: BulkAction, context: Context): Promise<ExitCode> {
  const { client, ids } = await resolveJobs(args, context);
  return applyToEach(client, ids, action, context.io);
}

const pauseOfJob: BulkAction = {
  name: 'pause',
  doneText: 'is paused, and does not start until it is resumed',
  states: ['pending', 'waiting', 'processing'],
  async apply(client, id) {
    const { frozen, not_frozen_by: worker } = await changeJobPause(client, 'pauseJob', id);
    if (worker) return `is paused, but ${tooOldText(worker)} finishes its encode`;
    return frozen ? 'is paused: its encoder is stopped, and another job may have its slot' : undefined;
  },
};

const resumeOfJob: BulkAction = {
  ...pauseOfJob,
  name: 'resume',
  doneText: 'is not paused; it goes on in the next free slot',
  apply: async (client, id) => void (await changeJobPause(client, 'resumeJob', id)),
};

function tooOldText(worker: string): string {
  return `the worker ${safeText(worker)} (an earlier version of venc, which cannot be stopped)`;
}
