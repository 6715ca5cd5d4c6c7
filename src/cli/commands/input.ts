import type { Command } from 'commander';
import { exitCodes } from '../../api/exit-codes.js';
import { normaliseInput } from '../../client/normalise.js';
import type { Context } from '../context.js';
import { inputText } from '../print/job-text.js';
import { createPaint } from '../print/paint.js';
import { addReadingOptions, printRecord, type ReadingOptions } from '../reading.js';
import { parseId } from '../words.js';

/** `venc input ID`: details of an input (section 4.6). */
export function define(command: Command, context: Context): void {
  addReadingOptions(command.argument('<id>', 'id of the input, as venc show tells it', parseId), 'one')
    .addHelpText('after', '\nExamples:\n  venc input 124\n  venc input 124 --json --fields width,height')
    .action(context.act((id: number, options: ReadingOptions) => run(id, options, context)));
}

async function run(id: number, options: ReadingOptions, context: Context) {
  const { io } = context;
  const client = await context.client();
  const { body: answer } = await client.ask('inputDetails', { values: { id } });
  const input = normaliseInput(answer, id);
  await printRecord(io, options, {
    answer,
    known: input,
    text: async () => inputText(input, createPaint(io.colour.stdout)),
  });
  return exitCodes.done;
}
