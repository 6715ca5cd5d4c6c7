import type { Command } from 'commander';
import { normaliseJobProgress, normaliseProgress } from '../../shared/client/normalise.js';
import { VencError } from '../../shared/errors.js';
import type { Context } from '../context.js';
import { formatExamples, parseId } from '../input/args.js';
import { resolveJob } from '../jobs/resolve-jobs.js';
import { createTextColours, type TextColours } from '../output/paint.js';
import { jobProgressText, progressText } from '../output/progress-text.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecord } from '../terminal/print-records.js';

interface ProgressOptions extends OutputFormatOptions {
  readonly input?: boolean;
  readonly output?: boolean;
}

/** `venc progress ID`: the progress record (section 2.4) of a job, an input or an output. */
export function define(command: Command, context: Context): void {
  addOutputFormatOptions(command.argument('<id>', 'id of the job; @last or -1 is the newest'), 'one')
    .option('--input', 'the id is that of an input')
    .option('--output', 'the id is that of an output')
    .addHelpText(
      'after',
      formatExamples('venc progress 123', 'venc progress @last', 'venc progress 125 --output --json'),
    )
    .action(context.handler(run));
}

async function run(arg: string, options: ProgressOptions, context: Context) {
  if (options.input === true && options.output === true) {
    throw new VencError('UsageError', '--input and --output cannot be combined.');
  }
  const { io } = context;
  const record = await read(arg, options, context, createTextColours(io.colour.stdout));
  await printRecord(io, options, record);
}

async function read(arg: string, options: ProgressOptions, context: Context, paint: TextColours) {
  if (options.input !== true && options.output !== true) {
    const { client, id } = await resolveJob(arg, context);
    const { id: _id, ...job } = await client.jobProgress(id);
    return {
      answer: job,
      known: normaliseJobProgress({}),
      text: async () => jobProgressText(id, job, paint),
    };
  }
  const route = options.input === true ? 'inputProgress' : 'outputProgress';
  const id = parseId(arg);
  const client = await context.client();
  const { body: answer } = await client.call(route, { values: { id } });
  const record = normaliseProgress(answer);
  const known = { ...record, current_event: null, current_event_progress: null };
  return { answer, known, text: async () => `${progressText(record, paint)}\n` };
}
