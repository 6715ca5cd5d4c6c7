import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RequestFields } from '../../shared/settings/setting.js';
import { type FileToUpload, readableFileSize } from './files.js';

const captionNames = ['caption_url', 'captions_url'] as const;
const names = ['watermark', 'watermarks', 'cover', ...captionNames] as const;

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

/**
 * Replaces local paths of watermarks, covers and caption files in the settings of an output by `file:` URLs, without
 * checking that the files exist.
 */
export function withWatermarkUrls(settings: RequestFields): Promise<RequestFields> {
  return changeWatermarks(settings, async (url) => (isLocal(url) ? pathToFileURL(resolve(url)).href : url));
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

function isLocal(url: string): boolean {
  return url !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

async function changeWatermarks(
  settings: RequestFields,
  change: (url: string) => Promise<string>,
  changedNames: readonly string[] = names,
): Promise<RequestFields> {
  const changed = { ...settings };
  const changeObject = async (file: RequestFields) =>
    typeof file.url === 'string' ? { ...file, url: await change(file.url) } : file;
  const changeCover = async (text: string) => (/^(?:keep|drop)$/i.test(text) ? text : change(text));
  for (const name of changedNames) {
    const files = settings[name];
    // A caption file may be given by its URL alone, and a cover image always is.
    const changeText = name.startsWith('caption') ? change : name === 'cover' ? changeCover : undefined;
    if (files !== undefined) changed[name] = await mapObjects(files, changeObject, changeText);
  }
  return changed;
}

/**
 * Applies `change` to an object or to each object of a list. Other values stay unchanged, so that the service reports
 * them.
 */
async function mapObjects(
  value: unknown,
  change: (object: RequestFields) => Promise<RequestFields>,
  changeText?: (text: string) => Promise<string>,
): Promise<unknown> {
  if (Array.isArray(value)) {
    const changed: unknown[] = [];
    for (const item of value) changed.push(await mapObjects(item, change, changeText));
    return changed;
  }
  if (typeof value === 'string' && changeText !== undefined) return changeText(value);
  return typeof value === 'object' && value !== null ? change({ ...value }) : value;
}
