import { basename, join } from 'node:path';
import { VencError } from '../../shared/errors.js';
import type { RequestFields } from '../../shared/settings/flag-values.js';
import type { PreparedRequest } from '../submit/prepare-request.js';
import type { SubmitOptions } from '../submit/submit-options.js';
import { requireAbsent } from './check-destinations.js';
import { isHosted, outputsIn } from './output-names.js';

/**
 * Refuses downloads to names that are taken. With an idempotency key this may be the repeat of a create whose files were fetched in part,
 * and what is there is no hindrance.
 */
export async function rejectExistingNames(
  { fields, input }: PreparedRequest,
  { download: folder, force, idempotencyKey }: SubmitOptions,
): Promise<void> {
  if (folder === undefined || force === true || idempotencyKey !== undefined) return;
  const { predictDownloadNames } = await import('../download/download-names.js');
  await requireAbsent(
    predictDownloadNames(fields, input === null ? null : basename(input.path)).map((name) =>
      join(folder, name),
    ),
    'another folder',
  );
}

/**
 * Refuses several inputs whose outputs would share a place: a `--filename` or `--url` for all of them, or one place elsewhere that two
 * requests name. `settings` is what the words of the command line and the preset say. Throws `UsageError`.
 */
export function rejectSharedDestinations(
  inputs: readonly { readonly name: string; readonly fields: RequestFields }[],
  { settings, hasPreset }: { readonly settings: RequestFields; readonly hasPreset: boolean },
): void {
  for (const { url, filename } of outputsIn(settings)) {
    const sharedSetting = typeof url === 'string' ? 'url' : typeof filename === 'string' ? 'filename' : null;
    if (sharedSetting === null) continue;
    throw new VencError(
      'UsageError',
      `${hasPreset ? `The ${sharedSetting} of the flags or the preset` : `--${sharedSetting}`} names one file, and there are several inputs. Nothing was submitted.`,
      {
        hint:
          sharedSetting === 'url'
            ? 'submit the inputs one by one, each with a --url of its own'
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
        `${name} and ${otherInput} have an output at the same place. Nothing was submitted.`,
        { hint: 'give each output a url or filename of its own' },
      );
    }
  }
}

/** Whether a request has an output that the service keeps for a download. */
export function hostsOutputs(request: RequestFields): boolean {
  const outputs = outputsIn(request);
  return outputs.length === 0 || outputs.some(isHosted);
}

/** The address of an output that goes elsewhere under a name of its own. */
function externalUrls({ url, base_url: base, filename }: RequestFields): readonly string[] {
  if (typeof url === 'string') return [url];
  if (typeof base !== 'string' || typeof filename !== 'string') return [];
  return [`${base.replace(/\/$/, '')}/${filename}`];
}
