import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RequestFields } from '../../shared/settings/setting.js';
import { captionNames, changeWatermarks, isLocal, mapObjects } from '../../shared/util/local-urls.js';
import { type FileToUpload, readableFileSize } from './files.js';

/**
 * Replaces local paths of watermarks, covers and caption files in the settings of an output by `file:` URLs and adds
 * the files to `images`. Rejects with `UsageError` if a file cannot be read.
 */
export async function toWatermarkUrls(
  settings: RequestFields,
  images: Map<string, FileToUpload>,
): Promise<RequestFields> {
  return changeWatermarks(settings, async (url) => {
    if (!isLocal(url)) return url;
    const address = pathToFileURL(resolve(url)).href;
    images.set(address, { path: url, sizeBytes: await readableFileSize(url) });
    return address;
  });
}

/** Replaces the `file:` URLs of watermarks, covers and caption files in a request by other addresses. */
export async function replaceWatermarks(
  request: RequestFields,
  addresses: ReadonlyMap<string, string>,
): Promise<Record<string, unknown>> {
  return changeOutputs(request, (output) =>
    changeWatermarks(output, async (url) => addresses.get(url) ?? url),
  );
}

/** Like {@link toWatermarkUrls}, for all outputs of a request, such as a preset. */
export function toOutputWatermarkUrls(
  request: RequestFields,
  images: Map<string, FileToUpload>,
): Promise<Record<string, unknown>> {
  return changeOutputs(request, (output) => toWatermarkUrls(output, images));
}

/**
 * Replaces local paths of caption files in a request by `file:` URLs and adds the files to `files`. Without
 * `isEverywhere` only paths that stay in the current folder count: such a file is uploaded, and the author of the
 * request may be somebody else. Rejects with `UsageError` if a file cannot be read.
 */
export function toCaptionUrls(
  request: RequestFields,
  files: Map<string, FileToUpload>,
  isEverywhere: boolean,
): Promise<Record<string, unknown>> {
  const change = async (url: string) => {
    if (!isLocal(url) || !(isEverywhere || isInside(url))) return url;
    const address = pathToFileURL(resolve(url)).href;
    files.set(address, { path: url, sizeBytes: await readableFileSize(url) });
    return address;
  };
  return changeOutputs(request, (output) => changeWatermarks(output, change, captionNames));
}

/** Whether a path stays in the current folder. */
function isInside(path: string): boolean {
  return !isAbsolute(path) && !/(?:^|\/)\.\.(?:\/|$)/.test(path);
}

async function changeOutputs(
  request: RequestFields,
  change: (output: RequestFields) => Promise<RequestFields>,
): Promise<Record<string, unknown>> {
  const changed = { ...request };
  for (const name of ['output', 'outputs']) {
    const outputs = request[name];
    if (outputs !== undefined && outputs !== null) changed[name] = await mapObjects(outputs, change);
  }
  return changed;
}
