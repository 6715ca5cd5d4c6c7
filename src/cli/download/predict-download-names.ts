import { posix } from 'node:path';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import { fileNameInUrl, withoutExtension } from '../../shared/text/url-text.js';
import { extensionFor, isHosted, nameOutputs, outputsIn } from '../destinations/output-names.js';

/**
 * Names that the downloads of a job will have, as far as its request and the name of its input tell: of outputs that go to no place of
 * the client's own. Pure.
 */
export function predictDownloadNames(
  request: RequestFields,
  inputName: string | null = null,
): readonly string[] {
  const given = outputsIn(request);
  const outputs: readonly RequestFields[] = given.length === 0 ? [{}] : given;
  const named = outputs.map((output) =>
    isHosted(output) && typeof output.filename === 'string' ? posix.basename(output.filename) : null,
  );
  const input = inputName ?? (typeof request.input === 'string' ? fileNameInUrl(request.input) : '');
  const stem = withoutExtension(input);
  if (stem === '') return named.flatMap((name) => (name === null ? [] : [name]));
  const made = nameOutputs(
    outputs.map((settings: RequestFields, index) =>
      named[index] === null && isHosted(settings)
        ? {
            label: typeof settings.label === 'string' ? settings.label : null,
            extension: extensionFor(settings),
          }
        : null,
    ),
    {
      stem,
      reservedName: input,
      usedNames: new Set(named.flatMap((name) => (name === null ? [] : [name.toLowerCase()]))),
    },
  );
  return outputs.flatMap((_, index) => named[index] ?? made[index] ?? []);
}
