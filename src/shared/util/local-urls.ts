import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RequestFields } from '../settings/setting.js';

/** The names of the settings with caption files. */
export const captionNames = ['caption_url', 'captions_url'] as const;
const names = ['watermark', 'watermarks', 'cover', ...captionNames] as const;

/**
 * Replaces local paths of watermarks, covers and caption files in the settings of an output by `file:` URLs, without
 * checking that the files exist.
 */
export function withWatermarkUrls(settings: RequestFields): Promise<RequestFields> {
  return changeWatermarks(settings, async (url) => (isLocal(url) ? pathToFileURL(resolve(url)).href : url));
}

/** Whether a text is the path of a file rather than a URL. */
export function isLocal(url: string): boolean {
  return url !== '' && !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

/** Changes the addresses of watermarks, covers and caption files in the settings of an output. */
export async function changeWatermarks(
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
export async function mapObjects(
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
