import type { Command } from 'commander';
import { defaultMaxOutputs } from '../../shared/settings/limits.js';
import { jsonText } from '../../shared/text/safe-text.js';
import type { Context } from '../context.js';
import { formatExamples } from '../input/args.js';

/** `venc schema`: prints the JSON Schema of a request file. */
export function define(command: Command, context: Context): void {
  command.addHelpText('after', details).action(context.handler(run));
}

const details = `
Prints a JSON Schema (draft-07) of the settings of this version of venc. An editor that knows it completes and checks request
files. A request file names it in "$schema", which venc and its daemon ignore. A daemon serves it without a key at
/v2/schema.json.
${formatExamples('venc schema > request.schema.json')}`;

async function run(_: object, { io }: Context): Promise<void> {
  const { editorSchema } = await import('../../shared/settings/schema/editor-schema.js');
  await io.writeStdout(`${jsonText(editorSchema(defaultMaxOutputs), 2)}\n`);
}
