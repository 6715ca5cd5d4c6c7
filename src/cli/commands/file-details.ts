import { normaliseInput, normaliseOutput } from '../../shared/client/normalise.js';
import type { CommandModule, Context } from '../context.js';
import { formatExamples, parseId } from '../input/args.js';
import { inputText, outputText } from '../output/job-text.js';
import { createTextColours, type TextColours } from '../output/paint.js';
import { addOutputFormatOptions, type OutputFormatOptions, printRecord } from '../terminal/print-records.js';

/** `venc input ID`: details of an input (section 4.6). */
export const input = commandOf({
  name: 'input',
  route: 'inputDetails',
  normalise: normaliseInput,
  text: inputText,
});

/** `venc output ID`: details of an output (section 4.7). */
export const output = commandOf({
  name: 'output',
  route: 'outputDetails',
  normalise: normaliseOutput,
  text: outputText,
});

/** A kind of file of a job, and how to read and print its details. */
interface FileKind<Details extends object> {
  readonly name: 'input' | 'output';
  readonly route: 'inputDetails' | 'outputDetails';
  readonly normalise: (answer: unknown, id: number) => Details;
  readonly text: (details: Details, paint: TextColours) => string;
}

/** The command that shows one file of a job. */
function commandOf<Details extends object>(kind: FileKind<Details>): CommandModule {
  const { name, route, normalise, text } = kind;
  return {
    define: (command, { handler }) => {
      const run = async (id: number, options: OutputFormatOptions, context: Context) => {
        const client = await context.client();
        const { body: answer } = await client.call(route, { values: { id } });
        const details = normalise(answer, id);
        await printRecord(context.io, options, {
          answer,
          known: details,
          text: async ({ hasColour }) => text(details, createTextColours(hasColour)),
        });
      };
      addOutputFormatOptions(
        command.argument('<id>', `id of the ${name}, as venc show prints it`, parseId),
        'one',
      )
        .addHelpText(
          'after',
          formatExamples(`venc ${name} 124`, `venc ${name} 124 --json --fields width,height`),
        )
        .action(handler(run));
    },
  };
}
