import type { Command } from 'commander';
import { exitCodes } from '../../api/exit-codes.js';
import { normaliseJob, unwrapJob } from '../../client/normalise.js';
import { blankJob } from '../blank-job.js';
import type { Context } from '../context.js';
import { jobText } from '../print/job-text.js';
import { createPaint } from '../print/paint.js';
import { addReadingOptions, printRecord, type ReadingOptions } from '../reading.js';
import { parseId } from '../words.js';

/** `venc show ID`: details of a job (section 4.2), with advice where something failed. */
export function define(command: Command, context: Context): void {
  addReadingOptions(command.argument('<id>', 'id of the job', parseId), 'one')
    .addHelpText('after', examples)
    .action(context.act((id: number, options: ReadingOptions) => run(id, options, context)));
}

const examples = `
Examples:
  venc show 123
  venc show 123 --json --fields state,output_media_files.url`;

async function run(id: number, options: ReadingOptions, context: Context) {
  const { io } = context;
  const client = await context.client();
  const answer = unwrapJob((await client.ask('jobDetails', { values: { id } })).body);
  const job = normaliseJob(answer, id);
  await printRecord(io, options, {
    answer,
    known: blankJob(),
    text: async ({ hasColour }) => jobText(job, createPaint(hasColour)),
  });
  return exitCodes.done;
}
