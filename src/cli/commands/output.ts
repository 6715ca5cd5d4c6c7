import type { Command } from 'commander';
import { exitCodes } from '../../api/exit-codes.js';
import { normaliseOutput } from '../../client/normalise.js';
import type { Context } from '../context.js';
import { outputText } from '../print/job-text.js';
import { createPaint } from '../print/paint.js';
import { addReadingOptions, printRecord, type ReadingOptions } from '../reading.js';
import { parseId } from '../words.js';

/** `venc output ID`: details of an output (section 4.7). */
export function define(command: Command, context: Context): void {
  addReadingOptions(command.argument('<id>', 'id of the output, as venc show tells it', parseId), 'one')
    .addHelpText('after', '\nExamples:\n  venc output 124\n  venc output 124 --json --fields width,height')
    .action(context.act((id: number, options: ReadingOptions) => run(id, options, context)));
}

async function run(id: number, options: ReadingOptions, context: Context) {
  const { io } = context;
  const client = await context.client();
  const { body: answer } = await client.ask('outputDetails', { values: { id } });
  const output = normaliseOutput(answer, id);
  await printRecord(io, options, {
    answer,
    known: output,
    text: async () => outputText(output, createPaint(io.colour.stdout)),
  });
  return exitCodes.done;
}
