import type { Command } from 'commander';
import type { Client } from '../../client/client.js';
import { isVencError, VencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import { someOf } from '../../shared/flag-readers.js';
import type { JobState } from '../../shared/states.js';
import type { Context } from '../context.js';
import { examplesOf } from '../help/examples.js';
import type { Io } from '../terminal/io.js';
import { isHopeless, reportError } from '../terminal/report-error.js';
import { jobIdsHelp, namedJobs } from './named-jobs.js';
import { selectJobs } from './select-jobs.js';

/** What a command does to jobs, and to which of them it can be done. */
export interface Verb {
  /** In a question and in the help, e.g. `cancel`. */
  readonly name: string;
  /** In a remark, e.g. `cancelled`. */
  readonly done: string;
  /** States of the jobs that it can be done to, which `--all` stands for. */
  readonly states: readonly JobState[];
  readonly act: (client: Client, id: number) => Promise<void>;
  /** How many jobs it is done to at once; one where it is left out. */
  readonly lanes?: number;
}

interface ActOptions {
  readonly state?: readonly JobState[];
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** Defines the arguments and options of a command that does one thing to many jobs, and what it does. */
export function defineVerb(command: Command, context: Context, verb: Verb): void {
  command
    .argument('[id...]', jobIdsHelp)
    .option(
      '--state <states>',
      `every job in these states, with commas between them: ${verb.states.join(', ')}; repeatable`,
      someOf('--state', verb.states),
    )
    .option('--all', `every job that is ${verb.states.join(', ').replace(/, (\w+)$/, ' or $1')}`)
    .option('-y, --yes', 'do not ask')
    .addHelpText(
      'after',
      examplesOf(`venc ${verb.name} 123 124`, `venc ${verb.name} --state ${verb.states.at(-1)} --yes`),
    )
    .action(
      context.act((words: readonly string[], options: ActOptions) => run(words, options, verb, context)),
    );
}

async function run(words: readonly string[], options: ActOptions, verb: Verb, context: Context) {
  const { io } = context;
  const isMany = options.all === true || options.state !== undefined;
  checkChoice(words, options, isMany, verb, io);
  const { client, ids: named } = await namedJobs(words, context);
  const ids = isMany ? await selected(client, options, verb, io) : named;
  if (ids.length === 0) io.note(`venc: no jobs to ${verb.name}\n`);
  if (isMany && ids.length > 0 && options.yes !== true && !(await isSure(io, verb, ids))) {
    throw new VencError('InterruptedError', 'Nothing was done.');
  }
  return actOnEach(client, ids, verb, io);
}

function checkChoice(
  words: readonly string[],
  options: ActOptions,
  isMany: boolean,
  verb: Verb,
  io: Io,
): void {
  const ways = [words.length > 0, options.all === true, options.state !== undefined];
  if (ways.filter(Boolean).length !== 1) {
    throw new VencError('UsageError', `${verb.name} takes either ids, or --state, or --all.`, {
      hint: `for example: venc ${verb.name} 123`,
    });
  }
  if (isMany && options.yes !== true) requireTerminal(verb.name, io);
}

/** Rejects with `UsageError` where there is no terminal to ask on. */
export function requireTerminal(verbName: string, io: Io): void {
  if (io.isTerminal.stdin && io.isTerminal.stderr) return;
  throw new VencError(
    'UsageError',
    `venc ${verbName} asks before it acts on many jobs, and there is no terminal to ask on.`,
    {
      hint: 'add --yes to do it without asking',
    },
  );
}

async function selected(
  client: Client,
  { state }: ActOptions,
  verb: Verb,
  io: Io,
): Promise<readonly number[]> {
  const { jobs } = await selectJobs(client, {
    all: true,
    ...(state === undefined ? {} : { states: state }),
  });
  const ids = jobs.filter((job) => verb.states.includes(job.state)).map(({ id }) => id);
  const named = ids.filter((id) => id > 0);
  const others = ids.length - named.length;
  if (others > 0) io.note(`venc: ${others} more cannot be named: their ids are missing or too great\n`);
  return named;
}

/** Asks whether to do something to jobs. */
export async function isSure(io: Io, verb: Pick<Verb, 'name'>, ids: readonly number[]): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises');
  const lines = createInterface({ input: io.stdin, output: io.stderr });
  // An end of the input is no answer, and without this the question would stay open for ever.
  const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
  const subject = ids.length === 1 ? `job ${ids[0]}` : `${ids.length} jobs (${newestOf(ids)})`;
  try {
    const answer = await Promise.race([lines.question(`venc: ${verb.name} ${subject}? [y/N] `), ended]);
    // Nobody has ended the line of the question.
    if (answer === null) io.note('\n');
    return answer !== null && /^y(es)?$/i.test(answer.trim());
  } finally {
    lines.close();
  }
}

/** Ids as a question names them: of many the newest, as nobody reads them all. */
function newestOf(ids: readonly number[]): string {
  return ids.length <= 12 ? ids.join(' ') : `${ids.slice(0, 10).join(' ')} and more`;
}

/**
 * Does something to each job and prints a line for each. An error of one job does not stop the others, unless the service cannot be reached
 * or refuses the key; the first error decides the exit code.
 */
export async function actOnEach(
  client: Client,
  ids: readonly number[],
  verb: Verb,
  io: Io,
): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const waiting = ids.values();
  const lane = async () => {
    for (const id of waiting) {
      try {
        await verb.act(client, id);
        io.note(`venc: job ${id} ${verb.done}\n`);
      } catch (error) {
        if (!isVencError(error)) throw error;
        code = reportError(io, error, `Job ${id}`, code);
        // No other job would fare better, and there may be thousands.
        if (isHopeless(error)) return;
      }
    }
  };
  await Promise.all(Array.from({ length: verb.lanes ?? 1 }, lane));
  return code;
}
