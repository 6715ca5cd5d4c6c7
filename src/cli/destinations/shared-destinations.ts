import { basename, join } from 'node:path';
import { VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/setting.js';
import type { FileToUpload } from '../input/files.js';
import { isHosted, outputsIn } from './output-names.js';

/** The options of `venc submit` that decide whether a download may overwrite a file. */
interface DownloadOptions {
  readonly download?: string;
  readonly force?: boolean;
  readonly idempotencyKey?: string;
}

/**
 * Rejects with `UsageError` if a download would overwrite a file. Not with an idempotency key: the command may be the
 * repeat of one whose downloads were partly complete.
 */
export async function rejectExistingNames(
  { fields, input }: { readonly fields: RequestFields; readonly input: FileToUpload | null },
  { download: folder, force, idempotencyKey }: DownloadOptions,
): Promise<void> {
  if (folder === undefined || force === true || idempotencyKey !== undefined) return;
  const { requireAbsent } = await import('./check-destinations.js');
  const { predictDownloadNames } = await import('../download/download-names.js');
  await requireAbsent(
    predictDownloadNames(fields, input === null ? null : basename(input.path)).map((name) =>
      join(folder, name),
    ),
    'another folder',
  );
}

/**
 * Throws `UsageError` if outputs of several inputs would have the same destination: a common `--filename` or `--url`,
 * or the same URL in two requests. `settings` are those of the flags and the preset.
 */
export function rejectSharedDestinations(
  inputs: readonly { readonly name: string; readonly fields: RequestFields }[],
  { settings, hasPreset }: { readonly settings: RequestFields; readonly hasPreset: boolean },
): void {
  for (const output of outputsIn(settings)) {
    const sharedSetting = ['url', 'filename', 'secondary_url'].find(
      (name) => typeof output[name] === 'string',
    );
    if (sharedSetting === undefined) continue;
    const flag = `--${sharedSetting.replace('_', '-')}`;
    throw new VencError(
      'UsageError',
      `${hasPreset ? `The ${sharedSetting} of the flags or the preset` : flag} names one file, but there are several inputs. Nothing was submitted.`,
      {
        hint:
          sharedSetting !== 'filename'
            ? `submit the inputs one by one, each with its own ${flag}`
            : 'without it downloads are named after the input; or submit the inputs one by one',
      },
    );
  }
  const owners = new Map<string, string>();
  for (const { name, fields } of inputs) {
    for (const externalUrl of new Set(outputsIn(fields).flatMap(externalUrls))) {
      const otherInput = owners.get(externalUrl);
      owners.set(externalUrl, name);
      if (otherInput === undefined) continue;
      throw new VencError(
        'UsageError',
        `${name} and ${otherInput} have an output with the same destination. Nothing was submitted.`,
        { hint: 'give each output its own url or filename' },
      );
    }
  }
}

/** Whether a request has an output that the service hosts. */
export function hostsOutputs(request: RequestFields): boolean {
  const outputs = outputsIn(request);
  return outputs.length === 0 || outputs.some(isHosted);
}

/**
 * The URLs of an output that is uploaded to a named file elsewhere, or to a second one if that fails; empty for other
 * outputs.
 */
function externalUrls({ url, base_url: base, filename, secondary_url: second }: RequestFields) {
  const secondUrls = typeof second === 'string' ? [second] : [];
  if (typeof url === 'string') return [url, ...secondUrls];
  if (typeof base !== 'string' || typeof filename !== 'string') return secondUrls;
  return [`${base.replace(/\/$/, '')}/${filename}`, ...secondUrls];
}
