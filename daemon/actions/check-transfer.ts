import type { OutputSettings } from '../../src/shared/settings/index.js';
import type { RequestWarning } from '../../src/shared/settings/request-warning.js';
import { isTransferOnly } from '../../src/shared/settings/sources.js';
import { fileNameInUrl } from '../../src/shared/text/url-text.js';
import { memoizeByKey } from '../../src/shared/util/memoize-by-key.js';
import { checkCombination } from '../plan/check-combination.js';
import { extensionOf } from '../plan/formats.js';
import type { Capabilities } from '../plan/plan-types.js';
import { turnsOff } from '../plan/stream-settings.js';

/** The settings that apply to an output that is only transferred. */
const transferNames: ReadonlySet<string> = new Set([
  ...['type', 'source', 'label', 'url', 'base_url', 'filename', 'public', 'access_control'],
  ...['notifications', 'strict', 'skip', 'secondary_url', 'credentials', 'headers', 'rrs'],
  ...['parallel_upload_limit', 'overwrite'],
]);

/** The settings that apply to an output that is only transferred, and a warning for each of the others. */
export function transferSettings(
  settings: OutputSettings,
  path: string,
): { readonly kept: OutputSettings; readonly warnings: readonly RequestWarning[] } {
  // The settings come from parsing, so their names are those of the table.
  const entries = Object.entries(settings) as [keyof OutputSettings, unknown][];
  return {
    // The loop keeps each value under its own name, which the compiler cannot infer.
    kept: Object.fromEntries(entries.filter(([name]) => transferNames.has(name))) as OutputSettings,
    warnings: entries
      .filter(([name, value]) => !transferNames.has(name) && !turnsOff(name, value))
      .map(([name]) => ({
        field: `${path}.${name}`,
        message: 'has no effect: the file is transferred unchanged',
      })),
  };
}

/** The outputs and the input of a request, as far as they are valid. */
interface RequestParts {
  readonly input?: string;
  readonly outputs: readonly OutputSettings[];
}

/**
 * The file name of an output that is only transferred, if its settings have none: that of the input; with a `source`, the label of the
 * output with the extension of the source. Null for a random name with that extension.
 */
export function transferredName(
  parts: RequestParts,
  { label, source }: OutputSettings,
  capabilities: Capabilities,
): { readonly filename: string | null; readonly extension: string } {
  const inputName = fileNameInUrl(parts.input ?? '');
  const isUsable = !/^\.{0,2}$|[/\\\p{Cc}]/u.test(inputName);
  const extension = isUsable || source !== undefined ? extensionOfSource(parts, source, capabilities) : '';
  if (source === undefined && isUsable) return { filename: inputName, extension };
  const name = label?.replaceAll(/[/\\\p{Cc}]|^\.+/gu, '_');
  return { filename: name === undefined ? null : `${name}${extension}`, extension };
}

/** The extension of the file that an output is transferred from. */
function extensionOfSource(
  { input = '', outputs }: RequestParts,
  label: string | undefined,
  capabilities: Capabilities,
): string {
  // An invalid request may have a cycle of sources.
  const visited = new Set<string>();
  let next = label;
  while (next !== undefined && !visited.has(next)) {
    visited.add(next);
    const source = outputsByLabel(outputs).get(next);
    if (source === undefined) return '';
    const filename = source.url === undefined ? (source.filename ?? null) : fileNameInUrl(source.url);
    if (!isTransferOnly(source)) {
      const combination = checkCombination(source, filename, capabilities, 'output');
      return combination.ok ? combination.extension : '';
    }
    if (filename !== null) return extensionOf(filename);
    next = source.source;
  }
  return next === undefined ? extensionOf(fileNameInUrl(input)) : '';
}

const outputsByLabel = memoizeByKey(
  (outputs: readonly OutputSettings[]) =>
    new Map(outputs.toReversed().map((output) => [output.label, output])),
);
