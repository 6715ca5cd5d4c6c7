import type { Command } from 'commander';
import { exitCodes } from '../../shared/exit-codes.js';
import type { Context } from '../context.js';
import { examplesOf } from '../help/examples.js';
import { parseId } from '../input/parse-args.js';
import { createPaint, type Paint } from '../output/paint.js';
import { addReadingOptions, printRecord, type ReadingOptions } from '../terminal/print-answer.js';

/** A kind of file of a job, and how its details are read and told. */
export interface FileKind<Details extends object> {
  readonly name: 'input' | 'output';
  readonly route: 'inputDetails' | 'outputDetails';
  readonly normalise: (answer: unknown, id: number) => Details;
  readonly text: (details: Details, paint: Paint) => string;
}

/** Defines the arguments and options of a command that shows one file of a job, and what it does. */
export function defineFileDetails<Details extends object>(
  command: Command,
  context: Context,
  { name, route, normalise, text }: FileKind<Details>,
): void {
  const run = async (id: number, options: ReadingOptions) => {
    const { io } = context;
    const client = await context.client();
    const { body: answer } = await client.ask(route, { values: { id } });
    const details = normalise(answer, id);
    await printRecord(io, options, {
      answer,
      known: details,
      text: async ({ hasColour }) => text(details, createPaint(hasColour)),
    });
    return exitCodes.done;
  };
  addReadingOptions(command.argument('<id>', `id of the ${name}, as venc show tells it`, parseId), 'one')
    .addHelpText('after', examplesOf(`venc ${name} 124`, `venc ${name} 124 --json --fields width,height`))
    .action(context.act(run));
}
