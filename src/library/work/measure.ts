import { access } from 'node:fs/promises';
import { VencError } from '../../shared/errors.js';
import { isObject } from '../../shared/util/is-object.js';
import { withRunFolder } from '../../shared/util/run-folder.js';
import type { Comparison, Input, MediaInfo } from '../declarations.js';
import type { CallContext } from '../process-state.js';
import { withLocalInput } from './inputs.js';
import { withField } from './pipeline-errors.js';
import { optionError } from './read-options.js';

/** Reads what a media file is. */
export function probeInput(input: Input, options: unknown, context: CallContext): Promise<MediaInfo> {
  const { signal, programs, cwd } = context;
  return withRunFolder((folder) =>
    withLocalInput(input, { folder, signal, cwd, field: 'input', options }, async (path) => {
      const { readMedia } = await import('../../../daemon/app/read-media.js');
      return readMedia(path, programs, signal);
    }),
  ).catch((error: unknown) => {
    throw withField(error, 'input');
  });
}

/** Rejects a file that does not exist. */
async function requireFile(path: string, field: string): Promise<void> {
  await access(path).catch((cause: unknown) => {
    throw new VencError('FileNotFoundError', `${path} cannot be read.`, { cause, field });
  });
}

/** What a comparison needs. */
interface CompareContext extends CallContext {
  readonly onProgress: ((percent: number) => void) | undefined;
}

/** Measures how close a video comes to a reference. It takes a turn of the encodes. */
export async function compareInputs(
  [input, reference]: readonly [Input, Input],
  options: unknown,
  { signal, turns, programs, cwd, onProgress }: CompareContext,
): Promise<Comparison> {
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw optionError('onProgress', 'must be a function');
  const metric = isObject(options) ? (options.metric ?? 'vmaf') : 'vmaf';
  if (metric !== 'vmaf' && metric !== 'vmaf-neg') throw optionError('metric', 'must be vmaf or vmaf-neg');
  const { compareFiles } = await import('../../../daemon/app/compare-files.js');
  return withRunFolder((folder) =>
    withLocalInput(input, { folder, signal, cwd, field: 'input', options }, (path) =>
      withLocalInput(reference, { folder, signal, cwd, field: 'reference', options }, async (other) => {
        for (const [file, field] of [
          [path, 'input'],
          [other, 'reference'],
        ] as const)
          await requireFile(file, field);
        const compare = () =>
          compareFiles([path, other], {
            ...{ ...programs, metric, framesFolder: null, signal, isEmbedded: true },
            onProgress: (percent) => onProgress?.(percent),
          });
        const { quality, warnings } = await turns.runExclusive(compare, signal);
        return { quality, warnings: warnings.map((message) => ({ field: 'input', message })) };
      }),
    ),
  );
}
