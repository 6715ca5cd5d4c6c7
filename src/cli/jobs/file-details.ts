import type { Command } from 'commander';
import { exitCodes } from '../../shared/exit-codes.js';
import type { Context } from '../context.js';
import { formatExamples } from '../help/help-text.js';
import { parseId } from '../input/parse-args.js';
import { createTextColours, type TextColours } from '../output/paint.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecord } from '../terminal/print-records.js';

/** A kind of file of a job, and how its details are read and told. */
export interface FileKind<Details extends object> {
  readonly name: 'input' | 'output';
  readonly route: 'inputDetails' | 'outputDetails';
  readonly normalise: (answer: unknown, id: number) => Details;
  readonly text: (details: Details, paint: TextColours) => string;
}

/** Defines the arguments and options of a command that shows one file of a job, and what it does. */
export function defineFileDetails<Details extends object>(
  command: Command,
  context: Context,
  { name, route, normalise, text }: FileKind<Details>,
): void {
  const run = async (id: number, options: OutputFormatOptions) => {
    const { io } = context;
    const client = await context.client();
    const { body: answer } = await client.call(route, { values: { id } });
    const details = normalise(answer, id);
    await printRecord(io, options, {
      answer,
      known: details,
      text: async ({ hasColour }) => text(details, createTextColours(hasColour)),
    });
    return exitCodes.done;
  };
  addOutputFormatOptions(
    command.argument('<id>', `id of the ${name}, as venc show prints it`, parseId),
    'one',
  )
    .addHelpText('after', formatExamples(`venc ${name} 124`, `venc ${name} 124 --json --fields width,height`))
    .action(context.handler(run));
}
