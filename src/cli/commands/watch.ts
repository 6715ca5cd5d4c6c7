import type { Command } from 'commander';
import type { Client } from '../../client/client.js';
import type { FollowEvent } from '../../client/follow-context.js';
import type { FollowedProgress } from '../../client/job-progress.js';
import { VencError } from '../../shared/errors.js';
import type { ExitCode } from '../../shared/exit-codes.js';
import type { ProgressRecord } from '../../shared/records.js';
import { jsonText, safeText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { awaitJobs, withStillRunningHint } from '../jobs/await-jobs.js';
import { jobIdsHelp, resolveJobs } from '../jobs/resolve-jobs.js';
import { colourState, createTextColours, type TextColours } from '../output/paint.js';
import { failureLines, progressText } from '../output/progress-text.js';
import { listenForInterrupt } from '../terminal/interrupt.js';
import type { Io } from '../terminal/io.js';
import {
  chosenMode,
  type ProgressChoice,
  type ProgressMode,
  progressOption,
} from '../terminal/progress-mode.js';

interface WatchOptions {
  readonly jsonl?: boolean;
  readonly progress?: ProgressChoice;
}

/** `venc watch [ID...]`: a live screen on a terminal, otherwise lines of events. */
export function define(command: Command, context: Context): void {
  command
    .argument('[id...]', `${jobIdsHelp}; without an id: all active jobs`)
    .option('--jsonl', 'print one JSON object for each event')
    .option(...progressOption)
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
On the screen the arrow keys select a job, enter opens it, c cancels it, r resubmits it; ? shows all keys.
Leaving with q or Ctrl-C does not stop the jobs. Without ids, the screen stays open until you leave
it, shows every job that is active or submitted meanwhile, and keeps those that fail: f shows only
them, and d removes one. In a pipe, the command ends when no job is active.

Exit codes: 0 if every job finished, 1 if one failed or was cancelled, 130 if you left before that.

Examples:
  venc watch
  venc watch @last
  venc watch 123 124
  venc watch 123 --jsonl | grep '"final"'`;

async function run(args: readonly string[], options: WatchOptions, context: Context): Promise<ExitCode> {
  const { io } = context;
  const mode = await modeOf(context, options);
  const { client, ids } = await resolveJobs(args, context);
  if (mode === 'tty') return onScreen(client, ids, io);
  const { signal, dispose } = listenForInterrupt(io);
  const print = printer(io, mode);
  let isIdle = ids.length === 0;
  const onEvent = async (event: FollowEvent) => {
    if (event.type !== 'found') return print(event);
    if (event.jobs.length > 0) isIdle = false;
    else io.writeInfo('venc: no job is active\n');
  };
  try {
    const discovery = ids.length === 0 ? ({ discovery: 'until-idle' } as const) : {};
    return await awaitJobs(client, ids, io, { signal, onEvent, ...discovery });
  } catch (error) {
    throw isIdle ? error : withStillRunningHint(error, ids, 'watch');
  } finally {
    dispose();
  }
}

async function modeOf(context: Context, options: WatchOptions): Promise<ProgressMode> {
  if (options.jsonl !== true) {
    const mode = await chosenMode(context, options.progress, 'stdout');
    // The screen needs a terminal for its keys; without one, print lines.
    return mode === 'tty' && !context.io.isTerminal.stdin ? 'plain' : mode;
  }
  if (options.progress === undefined || options.progress === 'json') return 'json';
  throw new VencError('UsageError', '--jsonl and --progress cannot be combined.');
}

async function onScreen(client: Client, ids: readonly number[], io: Io): Promise<ExitCode> {
  const { runWatchScreen } = await import('../../tui/watch-screen.js');
  const { signal, dispose } = listenForInterrupt(io);
  try {
    return await runWatchScreen({ client, ids, io: { ...io, stdin: io.stdin() }, signal });
  } finally {
    dispose();
  }
}

function printer(io: Io, mode: ProgressMode): (event: FollowEvent) => Promise<void> {
  if (mode === 'none') return async () => {};
  const paint = createTextColours(io.colour.stdout);
  const last = new Map<number, FollowedProgress>();
  return async (event) => {
    const before = event.type === 'progress' ? last.get(event.job.id) : undefined;
    if (event.type === 'progress') {
      if (JSON.stringify(before) === JSON.stringify(event.job)) return;
      last.set(event.job.id, event.job);
    }
    const lines = mode === 'json' ? [jsonText(eventObject(event))] : eventLines(event, before, paint);
    if (lines.length > 0) await io.writeStdout(lines.map((line) => `${line}\n`).join(''));
  };
}

/** Progress in percent between two lines of a file. */
const stepPercent = 10;

type FileProgress = ProgressRecord & { readonly id: number };

/**
 * The changes of an event, one per line: new states, new events, and every ten percent. `before` is the previous
 * progress of the same job; undefined for the first.
 */
function eventLines(
  event: FollowEvent,
  before: FollowedProgress | undefined,
  colours: TextColours,
): readonly string[] {
  switch (event.type) {
    case 'progress':
      return progressLines(event.job, before, colours);
    case 'final': {
      const { id, state } = event.job;
      return [`job ${id}: ${colourState(colours, state, safeText(state))}`, ...failureLines(event.job)];
    }
    default:
      return [];
  }
}

/** The event as one object, with the names of the service. */
function eventObject(event: FollowEvent): object {
  switch (event.type) {
    case 'unreachable':
      return { type: event.type, error: event.error.message };
    case 'rejected':
      return { type: event.type, id: event.id, error: event.error.message };
    default:
      return event;
  }
}

function progressLines(
  job: FollowedProgress,
  before: FollowedProgress | undefined,
  colours: TextColours,
): readonly string[] {
  const files = [
    { name: 'input', now: job.input, past: before?.input },
    ...job.outputs.map((now) => ({
      name: 'output',
      now,
      past: before?.outputs.find(({ id }) => id === now.id),
    })),
  ];
  return [
    ...(before?.state === job.state
      ? []
      : [`job ${job.id}: ${colourState(colours, job.state, safeText(job.state))}`]),
    ...files
      .filter(({ now, past }) => hasAdvanced(now, past))
      .map(({ name, now }) => `${name} ${now.id}: ${progressText(now, colours)}`),
  ];
}

function hasAdvanced(now: FileProgress, past: FileProgress | undefined): boolean {
  // A file that still waits needs no line: the line of the job shows that.
  if (past === undefined) return now.state !== 'waiting' && now.state !== 'pending';
  return (
    now.state !== past.state ||
    now.current_event !== past.current_event ||
    Math.floor(now.progress / stepPercent) !== Math.floor(past.progress / stepPercent)
  );
}
