import { isAbsolute, normalize } from 'node:path';
import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import { sanitizeFileName, truncateFileName } from '../../shared/text/file-names.js';
import { findSuggestions } from '../../shared/text/suggestions.js';
import { isUrl, withoutExtension } from '../../shared/text/url-text.js';
import type { FoundInput } from '../input/find-inputs.js';
import { extensionFor, outputsIn, stemFromUrl } from './output-names.js';

/** What a pattern of `--name` may have in braces. */
const placeholders = ['dir', 'stem', 'label', 'width', 'height', 'ext'] as const;
type Placeholder = (typeof placeholders)[number];

/** The size of the video of an output; null if it has none. */
export type OutputSize = { readonly width: number; readonly height: number } | null;

/** Adds `--name` with an example of a pattern. */
export function addNameOption(command: Command, example = '{dir}/{stem}-{height}p.{ext}'): Command {
  return command.option('--name <pattern>', `output names, as '${example}'`);
}

/**
 * Rejects a pattern of `--name` that has unknown placeholders or no file name, or leaves the output folder, and each if
 * something else, such as `--filename`, names the outputs.
 */
export function validateNamePattern(pattern: string, other: string | null): void {
  if (other !== null)
    throw new VencError('UsageError', `${other} names the outputs, so --name cannot.`, {
      hint:
        other === '-o'
          ? 'with --name, -o is a folder; end a new one with a slash: -o out/'
          : 'leave one of them out',
    });
  for (const [, name = ''] of pattern.matchAll(/\{([^{}]*)\}/g)) {
    if (placeholders.some((one) => one === name)) continue;
    const [suggestion] = findSuggestions(name, placeholders);
    throw new VencError('UsageError', `--name has {${name}}, which is not known.`, {
      hint:
        suggestion === undefined
          ? `use ${placeholders.map((one) => `{${one}}`).join(', ')}`
          : `did you mean {${suggestion}}?`,
    });
  }
  rejectOutside(pattern.replaceAll('{dir}/', ''), pattern);
}

/** Whether a pattern has the size of the video, which is known only after the input was probed. */
export function needsSize(pattern: string): boolean {
  return /\{(?:width|height)\}/.test(pattern);
}

/**
 * The request with a file name from the pattern for each output that has neither a name nor a URL of its own. `sizes`
 * are those of the outputs. Throws `UsageError` if an output has no video and the pattern its size, and if a name
 * leaves the output folder. Pure.
 */
export function withNames(
  request: Record<string, unknown>,
  pattern: string,
  { input: { name, folder }, sizes }: { readonly input: FoundInput; readonly sizes: readonly OutputSize[] },
): Record<string, unknown> {
  const given = outputsIn(request);
  const stem = isUrl(name) ? stemFromUrl(name) : withoutExtension(name.slice(name.lastIndexOf('/') + 1));
  const outputs = (given.length === 0 ? [{}] : given).map((output: RequestFields, index) => {
    if (typeof output.url === 'string' || typeof output.filename === 'string') return output;
    const size = sizes[index] ?? null;
    if (size === null && needsSize(pattern))
      throw new VencError(
        'UsageError',
        `${name}: the output has no video, so its name can have no {height} and {width}.`,
      );
    const values: Readonly<Record<Placeholder, string>> = {
      dir: folder,
      stem: stem === null || stem === '' ? 'output' : stem,
      label: typeof output.label === 'string' ? sanitizeFileName(output.label) : '',
      width: String(size?.width),
      height: String(size?.height),
      ext: extensionFor(output).slice(1),
    };
    const filled = pattern.replace(/\{(\w+)\}/g, (_, key: Placeholder) => values[key]);
    // Without a folder, {dir}/ is nothing.
    const path = folder === '' ? filled.replace(/^\/+/, '') : filled;
    rejectOutside(path, pattern);
    return { ...output, filename: normalize(path).split('/').map(truncateFileName).join('/') };
  });
  const { output: _one, ...others } = request;
  return { ...others, outputs };
}

function rejectOutside(path: string, pattern: string): void {
  const normal = normalize(path);
  if (isAbsolute(normal) || /^\.\.(?:\/|$)/.test(normal))
    throw new VencError('UsageError', `--name ${pattern} leaves the folder of the outputs.`, {
      hint: 'name another folder with -o',
    });
  if (normal === '.' || normal.endsWith('/'))
    throw new VencError('UsageError', `--name ${pattern} names no file.`, {
      hint: `for example ${pattern}{stem}.{ext}`,
    });
}
