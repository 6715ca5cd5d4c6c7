import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isUrl } from '../../shared/text/url-text.js';
import { withWatermarkUrls } from '../../shared/util/local-urls.js';
import { withRunFolder } from '../../shared/util/run-folder.js';
import type { Input, Plan } from '../declarations.js';
import type { CallContext } from '../process-state.js';
import { pathOfUrl, withLocalInput } from './inputs.js';
import { isStream } from './output-stream.js';
import { asGiven, withField } from './pipeline-errors.js';
import { destinationText, type ReadOptions, readEncodeOptions } from './read-options.js';

/** Plans an encode, as `venc plan` does. */
export async function makePlan(input: Input, options: unknown, context: CallContext): Promise<Plan> {
  const { signal, programs, cwd } = context;
  const read = readEncodeOptions(options);
  const { dryRun } = await import('../../../daemon/dry-run/dry-run.js');
  return withRunFolder((folder) =>
    withLocalInput(input, { folder, signal, cwd, field: 'input', options }, async (path) => {
      const files = read.outputs.map(fileOf);
      const outputs = await Promise.all(read.outputs.map((one) => bodyOf(one, cwd)));
      const body = { ...read.job, input: pathToFileURL(path).href, outputs };
      const found = await dryRun(body, { ...programs, files }).catch((error: unknown) => {
        throw withField(asGiven(error, read.fieldOf), 'input');
      });
      signal.throwIfAborted();
      return {
        program: found.program,
        outputs: found.outputs.map(({ number, label, size, failure, skipped }) => ({
          ...{ number, label, size, skipped },
          failure: failure && { code: failure.errorClass, message: failure.message },
        })),
        steps: found.steps.map(({ does, outputs: numbers, args }) => ({ does, outputs: numbers, args })),
        warnings: [
          ...found.requestWarnings.map(({ field, message }) => ({ field: read.fieldOf(field), message })),
          ...found.warnings.map((message) => ({ field: 'output', message })),
        ],
      };
    }).catch((error: unknown) => {
      throw withField(error, 'input');
    }),
  );
}

type Output = ReadOptions['outputs'][number];

/** The path or address of a destination; null for a stream, and if there is none. */
function textOf({ destination, field }: Output): string | null {
  return isStream(destination) ? null : destinationText(destination, field);
}

/** The file that an output is written to; null for other destinations. */
function fileOf(output: Output): string | null {
  const text = textOf(output);
  if (text === null) return null;
  if (!isUrl(text)) return text;
  return /^file:/i.test(text) ? pathOfUrl(text, output.field) : null;
}

async function bodyOf(output: Output, cwd: string): Promise<Readonly<Record<string, unknown>>> {
  const file = fileOf(output);
  const text = textOf(output);
  const url = file === null ? text : pathToFileURL(resolve(cwd, file)).href;
  return { ...(await withWatermarkUrls(output.settings)), ...(url === null ? {} : { url }) };
}
