import { type Command, Option } from 'commander';
import type { Client } from '../../client/client.js';
import { normaliseJob, unwrapJob } from '../../shared/client/normalise.js';
import { isVencError } from '../../shared/errors.js';
import { type ExitCode, exitCodes } from '../../shared/exit-codes.js';
import type { JobRecord } from '../../shared/records.js';
import { isFinal } from '../../shared/states.js';
import type { Context } from '../context.js';
import { emptyJob, explainMissingJob, jobIdsHelp, resolveJobs } from '../jobs/resolve-jobs.js';
import { jobText } from '../output/job-text.js';
import { createTextColours } from '../output/paint.js';
import {
  addOutputFormatOptions,
  type OutputFormatOptions,
  printRecord,
  printRecords,
} from '../terminal/print-records.js';
import { reportError } from '../terminal/report-error.js';

interface ShowOptions extends OutputFormatOptions {
  readonly log?: boolean;
}

/** `venc show ID...`: details of jobs (section 4.2), with advice where something failed. */
export function define(command: Command, context: Context): void {
  addOutputFormatOptions(command.argument('<id...>', jobIdsHelp), 'many')
    .addOption(
      new Option('--log', 'also print the log, with the last messages of an ffmpeg that failed').conflicts([
        'json',
        'jsonl',
        'fields',
      ]),
    )
    .addHelpText('after', details)
    .action(context.handler(run));
}

const details = `
With --json one id prints an object, several ids print an array in the same order. A job that cannot be shown is left out, and
the exit code is that of the first error.

Examples:
  venc show 123
  venc show @last
  venc show 123 124
  venc show 123 --log
  venc show 123 --json --fields state,output_media_files.url
  venc show 123 124 --jsonl`;

async function run(args: readonly string[], options: ShowOptions, context: Context): Promise<ExitCode> {
  const { client, ids } = await resolveJobs(args, context);
  return ids.length === 1 && options.jsonl !== true
    ? showOne(client, ids[0] ?? 0, options, context)
    : showMany(client, ids, options, context);
}

async function showOne(client: Client, id: number, options: ShowOptions, { io }: Context): Promise<ExitCode> {
  const answer = await detailsOf(client, id);
  await printRecord(io, options, {
    answer,
    known: emptyJob(),
    text: async ({ hasColour }) => textOf(client, normaliseJob(answer, id), hasColour, options),
  });
  return exitCodes.done;
}

/** Shows several jobs; continues after an error, which does not affect the other jobs. */
async function showMany(
  client: Client,
  ids: readonly number[],
  options: ShowOptions,
  { io }: Context,
): Promise<ExitCode> {
  const shown: { readonly id: number; readonly answer: unknown }[] = [];
  let code: ExitCode = exitCodes.done;
  for (const id of ids) {
    try {
      shown.push({ id, answer: await detailsOf(client, id) });
    } catch (error) {
      if (!isVencError(error)) throw error;
      code = reportError(io, error, `Job ${id}`, code);
    }
  }
  const isText = options.json !== true && options.jsonl !== true;
  if (shown.length === 0 && isText) return code;
  await printRecords(io, options, {
    items: shown.map(({ answer }) => answer),
    known: emptyJob(),
    emptyText: 'no jobs',
    text: async ({ hasColour }) => {
      const texts: string[] = [];
      for (const { id, answer } of shown)
        texts.push(await textOf(client, normaliseJob(answer, id), hasColour, options));
      return texts.join('\n');
    },
  });
  return code;
}

async function detailsOf(client: Client, id: number): Promise<unknown> {
  try {
    return unwrapJob((await client.call('jobDetails', { values: { id } })).body);
  } catch (error) {
    throw await explainMissingJob(client, id, error);
  }
}

/** The text for a job, with its current progress unless it has ended. */
async function textOf(
  client: Client,
  job: JobRecord,
  hasColour: boolean,
  { log }: ShowOptions,
): Promise<string> {
  // Show the details even if the progress is not available.
  const progress = isFinal(job.state) ? null : await client.jobProgress(job.id).catch(() => null);
  const paint = createTextColours(hasColour);
  const text = jobText(job, paint, { now: new Date(), progress });
  if (log !== true) return text;
  const { requestLog } = await import('../../client/log.js');
  const { logLines } = await import('./logs.js');
  return `${text}\n${paint.bold('log')}\n${logLines(await requestLog(client, job.id, {}), paint)}`;
}
