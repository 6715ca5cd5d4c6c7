import type { Client } from '../../client/client.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { listParser } from '../../shared/flag-parsers.js';
import { finalJobStates, type JobState } from '../../shared/states.js';
import type { CommandModule, Context } from '../context.js';
import { formatExamples } from '../input/args.js';
import { jobIdsHelp, resolveJobs, selectJobs } from '../jobs/resolve-jobs.js';
import type { Io } from '../terminal/io.js';
import { affectsAllJobs, reportError } from '../terminal/report-error.js';

/** `venc cancel ID...` (section 4.5): only waiting and processing jobs can be cancelled. */
export const cancel = commandOf({
  name: 'cancel',
  doneText: 'is cancelled',
  states: ['waiting', 'processing'],
  apply: async (client, id) => void (await client.cancel(id)),
});

/** `venc resubmit ID...` (section 4.4): runs again any job that is not finished. */
export const resubmit = commandOf({
  name: 'resubmit',
  doneText: 'is resubmitted',
  states: ['pending', 'waiting', 'processing', 'cancelled', 'failed'],
  apply: async (client, id) => void (await client.resubmit(id)),
});

/** Removes jobs, several at a time, because each removal waits for the disk of the service. */
export const removal: BulkAction = {
  name: 'rm',
  doneText: 'is removed',
  states: finalJobStates,
  apply: async (client, id) => void (await client.remove(id)),
  conflictHint: (id) => `cancel it first: venc cancel ${id}`,
  concurrency: 8,
};

/** `venc rm ID...`: removes jobs that have ended, with their hosted files. Their usage stays in reports. */
export const rm = commandOf(removal);

/** An action on jobs, and the states in which it is possible. */
export interface BulkAction {
  /** Its name in prompts and in the help, e.g. `cancel`. */
  readonly name: string;
  /** Its name in messages, e.g. `is cancelled`. */
  readonly doneText: string;
  /** The states in which the action is possible, selected by `--all`. */
  readonly states: readonly JobState[];
  /** Resolves to what to print instead of `doneText`, if anything. */
  readonly apply: (client: Client, id: number) => Promise<string | undefined>;
  /** What to do about a job in another state. */
  readonly conflictHint?: (id: number) => string;
  /** The maximum number of concurrent requests; 1 if absent. */
  readonly concurrency?: number;
}

interface BulkActionOptions {
  readonly state?: readonly JobState[];
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** A command that applies one action to many jobs. */
function commandOf(action: BulkAction): CommandModule {
  const { name, states } = action;
  return {
    define: (command, { handler }) => {
      command
        .argument('[id...]', jobIdsHelp)
        .option(
          '--state <states>',
          `every job in these states, comma-separated: ${states.join(', ')}; repeatable`,
          listParser('--state', states),
        )
        .option('--all', `every job that is ${states.join(', ').replace(/, (\w+)$/, ' or $1')}`)
        .option('-y, --yes', 'do not ask for confirmation')
        .addHelpText(
          'after',
          formatExamples(`venc ${name} 123 124`, `venc ${name} --state ${states.at(-1)} --yes`),
        )
        .action(
          handler((args: readonly string[], options: BulkActionOptions, context: Context) =>
            run(args, options, action, context),
          ),
        );
    },
  };
}

async function run(
  args: readonly string[],
  options: BulkActionOptions,
  action: BulkAction,
  context: Context,
) {
  const { io } = context;
  const isMany = options.all === true || options.state !== undefined;
  checkChoice(args, options, isMany, action, io);
  const { client, ids: named } = await resolveJobs(args, context);
  const ids = isMany ? await selected(client, options, action, io) : named;
  if (ids.length === 0) io.writeInfo(`venc: no jobs to ${action.name}\n`);
  if (isMany && ids.length > 0 && options.yes !== true && !(await confirm(io, action, ids))) {
    throw new VencError('InterruptedError', 'Nothing was done.');
  }
  return applyToEach(client, ids, action, io);
}

function checkChoice(
  args: readonly string[],
  options: BulkActionOptions,
  isMany: boolean,
  action: BulkAction,
  io: Io,
): void {
  const selectors = [args.length > 0, options.all === true, options.state !== undefined];
  if (selectors.filter(Boolean).length !== 1) {
    throw new VencError('UsageError', `${action.name} needs either ids, --state or --all.`, {
      hint: `for example: venc ${action.name} 123`,
    });
  }
  if (isMany && options.yes !== true) requireTerminal(action.name, io);
}

/** Throws `UsageError` if there is no terminal for the confirmation. */
export function requireTerminal(actionName: string, io: Io): void {
  if (io.isTerminal.stdin && io.isTerminal.stderr) return;
  throw new VencError(
    'UsageError',
    `venc ${actionName} asks for confirmation before it acts on many jobs, but there is no terminal.`,
    { hint: 'add --yes to skip the confirmation' },
  );
}

async function selected(
  client: Client,
  { state }: BulkActionOptions,
  action: BulkAction,
  io: Io,
): Promise<readonly number[]> {
  const { jobs } = await selectJobs(client, {
    all: true,
    ...(state === undefined ? {} : { states: state }),
  });
  const ids = jobs.filter((job) => action.states.includes(job.state)).map(({ id }) => id);
  const named = ids.filter((id) => id > 0);
  const others = ids.length - named.length;
  if (others > 0)
    io.writeStderr(`venc: warning: ${others} more are skipped: their ids are missing or too large\n`);
  return named;
}

/** Asks for confirmation of an action. */
export async function confirm(
  io: Io,
  action: Pick<BulkAction, 'name'>,
  ids: readonly number[],
): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: io.stdin(), output: io.stderr });
  // Without this, the question would stay open at the end of the input.
  const closed = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  const subject = ids.length === 1 ? `job ${ids[0]}` : `${ids.length} jobs (${listIds(ids)})`;
  try {
    const answer = await Promise.race([lines.question(`venc: ${action.name} ${subject}? [y/N] `), closed]);
    // The line of the question has not been ended.
    if (answer === null) io.writeStderr('\n');
    return answer !== null && /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** The ids in a question; only the newest if there are many. */
function listIds(ids: readonly number[]): string {
  return ids.length <= 12 ? ids.join(' ') : `${ids.slice(0, 10).join(' ')} and more`;
}

/**
 * Applies the action to each job and prints a line for each. An error of one job does not stop the others, unless the
 * service is unreachable or rejects the key. Resolves to the exit code of the first error.
 */
export async function applyToEach(
  client: Client,
  ids: readonly number[],
  action: BulkAction,
  io: Io,
): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const remaining = ids.values();
  const worker = async () => {
    for (const id of remaining) {
      try {
        const doneText = (await action.apply(client, id)) ?? action.doneText;
        io.writeInfo(`venc: job ${id} ${doneText}\n`);
      } catch (error) {
        if (!isVencError(error)) throw error;
        code = reportError(io, withConflictHint(error, action, id), `Job ${id}`, code);
        // The other jobs would fail as well, and there may be thousands.
        if (affectsAllJobs(error)) return;
      }
    }
  };
  await Promise.all(Array.from({ length: action.concurrency ?? 1 }, worker));
  return code;
}

function withConflictHint(error: VencError, { conflictHint }: BulkAction, id: number): VencError {
  if (error.errorClass !== 'ConflictError' || conflictHint === undefined) return error;
  return new VencError(error.errorClass, error.message, { cause: error, hint: conflictHint(id) });
}
